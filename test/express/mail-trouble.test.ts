import type { MfaEvent, MfaOptions } from 'second-factor'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

import { unique } from '../service/features/codes/code-holder.ts'
import { startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startMailServer } from '../support/mail-server.ts'
import type { MailServer } from '../support/mail-server.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

let running: Running
let server: MailServer

beforeAll(async () => {
  server = await startMailServer()
  const smtp = { host: '127.0.0.1', port: server.port, from: 'mfa@example.com' }
  running = await startService({ smtp }, { emailOtpEnabled: true })
})
afterEach(() => server.take())
afterAll(async () => {
  await running.close()
  await server.close()
})

/** A user on the code page of an app whose service sends codes by e-mail. */
async function arrange(more: Partial<MfaOptions> = {}, version: '1.3' | '1.4' = '1.4') {
  const failMode = vi.fn<() => boolean>(() => true)
  const events: MfaEvent[] = []
  const { origin, apiKey, domain, clock } = running
  const app = await startWebApp({
    mfa: {
      service: { baseUrl: `${origin}/api`, apiKey, domainId: domain.id, version },
      clock,
      provision: false,
      factors: ['push', 'otp', 'email'],
      failMode,
      onEvent: (event) => void events.push(event),
      ...more,
    },
  })
  const username = unique()
  const received = server.mails.length
  const { device, pending } = await running.enroll(username)
  // The mail about the new device is not what these tests are about.
  await server.received(received + 1)
  const browser = app.browser()
  await app.signIn(browser, username)
  const page = await browser.visit('/account')
  async function approve(): Promise<void> {
    const [request] = await pending()
    await device.answer(request?.id ?? '', {
      nonce: request?.nonce,
      decision: 'approve',
      number: numberOn(page),
    })
  }
  return { app, browser, failMode, events, approve }
}

describe('a mail server that refuses', () => {
  it.each(['1.4', '1.3'] as const)(
    'the page for codes reports a mail server that refuses, with the other ways: version %s',
    async (version) => {
      const { browser, failMode, events } = await arrange({}, version)
      server.refuse()

      const answer = await browser.submit('/mfa/email')
      const page = await browser.visit(answer.headers['location'] as string)

      expect([answer.status, answer.headers['location']]).toEqual([303, '/mfa?use=email'])
      expect(page.text).toContain('We couldn&#39;t send the e-mail.')
      expect(page.text).toContain('name="code"')
      expect(page.text).not.toContain('aria-invalid')
      expect(page.text).toContain('action="/mfa/email"')
      expect(failMode).not.toHaveBeenCalled()
      expect(events.map(({ type }) => type)).toContain('email.failed')
      expect(events.map(({ type }) => type)).not.toContain('service.unavailable')
    },
  )

  it('a mail server that refuses is called once per click, and does not block calls to the service', async () => {
    const tried = vi.fn<() => Promise<void>>(() => Promise.resolve())
    const { app, browser, failMode } = await arrange()
    server.meanwhile(tried)
    server.refuse()

    for (let press = 0; press < 6; press++) await browser.submit('/mfa/email')

    expect(tried).toHaveBeenCalledTimes(6)
    expect((await browser.open('/mfa')).status).toBe(200)
    expect([app.trouble, failMode.mock.calls]).toEqual([[], []])
    server.meanwhile(() => Promise.resolve())
  })
})

describe('a mail server that hangs', () => {
  it('a mail server that hangs has a longer timeout than the service, and is then reported like one that refuses', async () => {
    const { app, browser, failMode } = await arrange({ timeout: 1_000 })
    server.hang()
    const waiting = running.clock.timerSet(8)

    const sending = browser.submit('/mfa/email')
    await waiting
    // Longer than any other call may take, on the machine's own clock.
    await new Promise((resolve) => AbortSignal.timeout(1_500).addEventListener('abort', resolve))
    await running.clock.advance(8)

    const answer = await sending
    expect(answer.headers['location']).toBe('/mfa?use=email')
    expect((await browser.visit('/mfa?use=code')).text).toContain('We couldn&#39;t send the e-mail.')
    expect([app.trouble, failMode.mock.calls]).toEqual([[], []])
  })

  inFullRun('a mail server that hangs leaves the device as an alternative', async () => {
    const { app, browser, approve } = await arrange()
    server.hang()
    const waiting = running.clock.timerSet(8)
    const sending = browser.submit('/mfa/email')
    await waiting

    await approve()
    const done = await browser.copy().submit('/mfa/complete')
    await running.clock.advance(8)
    await sending

    expect(done.headers['location']).toBe('/account')
    expect(app.trouble).toEqual([])
  })
})

describeInFullRun('an e-mail that was requested too soon', () => {
  it('an e-mail requested too soon is a wait, not a mistake: the page says how long, the last code still works', async () => {
    const { browser } = await arrange()
    await browser.submit('/mfa/email')
    await browser.submit('/mfa/email')

    const page = await browser.visit('/mfa?use=code')

    expect(page.text).toContain('class="said note" role="status"')
    expect(page.text).toContain('You can request another e-mail in 60 seconds.')
    expect(page.text).not.toContain('aria-invalid')
    const code = server.mails.at(-1)?.code ?? ''
    expect((await browser.submit('/mfa/code', { code })).headers['location']).toBe('/account')
  })
})
