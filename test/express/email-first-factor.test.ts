import type { MfaOptions } from 'second-factor'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { member } from '../service/features/codes/code-holder.ts'
import { startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { inFullRun } from '../support/full-run.ts'
import { startMailServer } from '../support/mail-server.ts'
import type { MailServer } from '../support/mail-server.ts'
import { startWebApp } from '../support/web-app.ts'
import { isIn } from './own-factors.ts'

let running: Running
let server: MailServer

beforeAll(async () => {
  server = await startMailServer()
  const smtp = { host: '127.0.0.1', port: server.port, from: 'mfa@example.com' }
  running = await startService({ smtp }, { emailOtpEnabled: true, bypassEnabled: true })
})
afterAll(async () => {
  await running.close()
  await server.close()
})

/** A user without a factor who has passed by e-mail, and passes so again for a change that requires it. */
async function passedByEmail(more: Partial<MfaOptions>) {
  const { origin, apiKey, domain, clock } = running
  const app = await startWebApp({
    mfa: {
      service: { baseUrl: `${origin}/api`, apiKey, domainId: domain.id },
      clock,
      provision: false,
      factors: ['push', 'otp', 'bypass', 'email'],
      devices: { factors: ['push', 'otp', 'bypass', 'email'] },
      ...more,
    },
  })
  const { username, show } = await member(running)
  const browser = app.browser()
  await app.signIn(browser, username)
  await browser.visit('/account')
  const pass = async () => {
    await browser.submit('/mfa/email')
    return browser.submit('/mfa/code', { code: server.mails.at(-1)?.code ?? '' })
  }
  await pass()
  await clock.advance(60)
  return { browser, pass, show }
}

describe('a user without a factor who has passed by e-mail', () => {
  inFullRun(
    'after passing by e-mail, a user without a factor adds a first one with another pass, if self-enrollment is allowed',
    async () => {
      const { browser, pass } = await passedByEmail({})

      const firstAnswer = await browser.open('/mfa/devices/app')
      await browser.visit('/mfa')
      await pass()

      expect(firstAnswer.headers['location']).toBe('/mfa')
      expect((await browser.open('/mfa/devices/app')).text).toContain('id="secret"')
    },
  )

  it.each([
    ['selfEnrollment: false', { selfEnrollment: false }],
    ['mayEnroll says no', { mayEnroll: () => false }],
  ] satisfies [string, Partial<MfaOptions>][])(
    'after passing by e-mail, a user without a factor has to ask an administrator if self-enrollment is not allowed: %s',
    async (_what, mfa) => {
      const { browser, show } = await passedByEmail(mfa)

      const answers = [
        await browser.open('/mfa/devices/app'),
        await browser.submit('/mfa/devices/app', { code: '123456' }),
        await browser.submit('/mfa/devices/device'),
        await browser.submit('/mfa/devices/codes'),
      ]

      expect(await isIn(browser)).toBe(true)
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
      expect(await show()).toMatchObject({ hardware: '', bypasscodes: [] })
    },
  )
})
