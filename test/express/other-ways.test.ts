import { createClient } from 'second-factor/client'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it } from 'vitest'

import { unique } from '../service/features/codes/code-holder.ts'
import { startService } from '../service/start-service.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startMailServer } from '../support/mail-server.ts'
import { startWebApp } from '../support/web-app.ts'
import { startOwnApp } from './own-factors.ts'

/** Alice, whose device has a request that waits, and what an administrator does for her. */
async function arrange(mfa: Parameters<typeof startWebApp>[0] = {}) {
  const app = await startWebApp(mfa)
  const browser = app.browser()
  const { account, page } = await app.enroll(browser, 'alice')
  const { baseUrl, apiKey, fetch } = await app.service.connect()
  const client = createClient({ baseUrl, apiKey, fetch })
  const { id } = await client.users.getByUsername('alice')
  const bypassCode = async () =>
    (await client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })).code ?? ''
  return { app, browser, account, page, bypassCode }
}

describe('the other ways to sign in', () => {
  inFullRun('the other ways to sign in are one link on the waiting page and the page of an ended request', async () => {
    const { app, browser, account, page } = await arrange()

    await app.answer(account, 'deny')
    const ended = await browser.visit('/mfa')

    for (const { text } of [page, ended]) {
      expect(text).toContain('<a href="/mfa?use=other">Other ways to sign in</a>')
      expect(text).not.toContain('use=code')
    }
  })

  inFullRun('the other ways to sign in are only those that the user has', async () => {
    const { browser, bypassCode } = await arrange()
    const pageBefore = await browser.visit('/mfa?use=other')
    await bypassCode()
    await bypassCode()

    const pageAfter = await browser.visit('/mfa?use=other')

    expect(pageBefore.text).toContain('My phone has no signal')
    expect(pageBefore.text).not.toContain('Use a recovery code')
    expect(pageBefore.text).not.toContain('code generator')
    expect(pageBefore.text).not.toContain('E-mail')
    expect(pageAfter.text).toContain('href="/mfa?use=bypass"><strong>Use a recovery code (2 left)')
  })

  inFullRun('the other ways to sign in are only those that the app accepts', async () => {
    const { browser, bypassCode } = await arrange({ mfa: { factors: ['push'] } })
    await bypassCode()

    const page = await browser.visit('/mfa?use=other')

    expect(page.text).not.toContain('?use=')
    expect(page.text).not.toContain('recovery code')
    expect(page.text).toContain('Ask your administrator')
  })

  inFullRun('the other ways to sign in name an app or a hardware token, and no phone where there is none', async () => {
    const app = await startOwnApp()
    await app.withApp()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    await browser.visit('/account')

    const page = await browser.visit('/mfa?use=other')

    expect(page.text).toContain('From your authenticator app or code generator.')
    expect(page.text).not.toContain('My phone has no signal')
  })

  it('the other ways to sign in include an e-mailed code, and show only the part of the address its owner needs', async () => {
    const server = await startMailServer()
    const smtp = { host: '127.0.0.1', port: server.port, from: 'mfa@example.com' }
    const running = await startService({ smtp }, { emailOtpEnabled: true })
    const { origin, apiKey, domain, clock } = running
    const service = { baseUrl: `${origin}/api`, apiKey, domainId: domain.id }
    const app = await startWebApp({ mfa: { service, clock, factors: ['push', 'email'] } })
    const username = unique()
    await running.enroll(username)
    const browser = app.browser()
    await app.signIn(browser, username)
    await browser.visit('/account')

    const page = await browser.visit('/mfa?use=other')
    const mailAnswer = await browser.submit('/mfa/email')
    const entry = await browser.visit(mailAnswer.headers['location'] as string)

    expect(page.text).toMatch(/action="\/mfa\/email".*E-mail a code to <bdi>\w•••@example\.com<\/bdi>/s)
    expect(page.text).not.toMatch(/\w{2,}@example/)
    expect(entry.text).toContain('Enter the code from the e-mail</h1>')
    await running.close()
    await server.close()
  })

  inFullRun.each([
    [['push', 'otp', 'email'] as const, true],
    [['push', 'email'] as const, false],
  ])(
    'with a service that speaks only 1.3, one field takes all codes, if the app accepts any: %j',
    async (factors, takesAnyCode) => {
      const service = await startTestService()
      const old = { ...service, connect: async () => ({ ...(await service.connect()), version: '1.3' as const }) }
      const app = await startWebApp({ mfa: { clock: service.clock, service: old, factors: [...factors] } })
      await service.enroll('alice')
      const browser = app.browser()
      await app.signIn(browser, 'alice')
      await browser.visit('/account')

      const page = await browser.visit('/mfa?use=other')

      expect(page.text.includes('href="/mfa?use=code"')).toBe(takesAnyCode)
      expect(page.text).toContain('action="/mfa/email"')
      await service.close()
    },
  )

  it('the other ways to sign in are those of the domain of the app, also with a key of all domains', async () => {
    const running = await startService({}, { emailOtpEnabled: true })
    const { origin, apiKey, clock, organization, service } = running
    const other = await service.administration.createDomain(organization.id, { name: 'Other' })
    const { user } = await running.enroll(unique())
    await running.call('PUT', `/domains/${other.id}/users/${user.id}`)
    const connection = { baseUrl: `${origin}/api`, apiKey, domainId: other.id }
    const app = await startWebApp({ mfa: { service: connection, clock, factors: ['push', 'otp', 'email', 'bypass'] } })
    const browser = app.browser()
    await app.signIn(browser, user.username)
    await browser.visit('/account')

    const page = await browser.visit('/mfa')
    const ways = await browser.visit('/mfa?use=other')
    const mailAnswer = await browser.submit('/mfa/email')

    expect(page.text).toContain('No device can approve this')
    expect(ways.text).not.toMatch(/use=otp|action="\/mfa\/email"/)
    expect(mailAnswer.status).toBe(303)
    await running.close()
  })

  inFullRun('the other ways to sign in offer no field for a recovery code that this step does not accept', async () => {
    const { browser } = await arrange()
    await browser.visit('/mfa?factors=push')

    const page = await browser.visit('/mfa?use=other')

    expect(page.text).not.toContain('use=bypass')
    expect(page.text).toContain('They can help you set up another device.')
  })

  inFullRun('the other ways to sign in do not disturb the request, which continues meanwhile', async () => {
    const { browser } = await arrange()

    const page = await browser.visit('/mfa?use=other')

    expect(page.text).toContain(' data-live data-typing>')
    expect(page.text).not.toContain('http-equiv="refresh"')
    expect(page.text).toContain('<a href="/mfa">Approve on my device instead</a>')
  })

  inFullRun('the other ways to sign in are not shown to newcomers, who have none', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    await browser.visit('/account')

    expect((await browser.visit('/mfa?use=other')).text).toContain('Set up your device')
  })
})

describeInFullRun('the page for a code', () => {
  it.each([
    ['otp', 'Open the app and tap Show code.'],
    ['bypass', 'Enter a recovery code'],
    ['email', 'Enter the code from the e-mail'],
    ['code', 'From your authenticator app or code generator, or a recovery code.'],
  ])('the page for a code asks for the one that the user chose, also after a wrong one: %s', async (use, words) => {
    const { browser } = await arrange()

    const page = await browser.visit(`/mfa?use=${use}`)
    const answer = await browser.submit('/mfa/code', { code: '1', use })

    expect(page.text).toContain(words)
    expect(page.text).toContain(`name="use" value="${use}"`)
    expect(answer.headers['location']).toBe(`/mfa?use=${use}`)
  })

  it.each(['other', 'https://evil.example', '', undefined])(
    'the page for a code takes no other kind of code from a form: %s',
    async (use) => {
      const { browser } = await arrange()

      const answer = await browser.submit('/mfa/code', { code: '1', ...(use !== undefined && { use }) })

      expect(answer.headers['location']).toBe('/mfa?use=code')
    },
  )
})
