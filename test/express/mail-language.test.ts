import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { member } from '../service/codes/code-holder.ts'
import { startService } from '../service/start-service.ts'
import { startMailServer } from '../support/mail-server.ts'
import type { MailServer } from '../support/mail-server.ts'
import { startWebApp } from '../support/web-app.ts'
import { startOwnApp } from './own-factors.ts'

let server: MailServer

beforeAll(async () => {
  server = await startMailServer()
})
afterAll(() => server.close())

describe('the language of the mails of a user', () => {
  it('is that of the page where the app adds the user', async () => {
    const { newcomer, user } = await startOwnApp({ language: 'pt' })

    await newcomer()

    expect((await user()).language).toBe('pt')
  })

  it('is that of the page that asks for a code by e-mail', async () => {
    const smtp = { host: '127.0.0.1', port: server.port, from: 'mfa@example.com' }
    const running = await startService({ smtp }, { emailOtpEnabled: true })
    const { origin, apiKey, domain, clock } = running
    const service = { baseUrl: `${origin}/api`, apiKey, domainId: domain.id }
    const app = await startWebApp({ mfa: { service, clock, factors: ['push', 'email'], language: 'de' } })
    const { username, show } = await member(running)
    const browser = app.browser()
    await app.signIn(browser, username)
    await browser.visit('/account')

    await browser.submit('/mfa/email')

    expect(server.mails.at(-1)?.text).toContain('Ihr Code für Domain')
    expect((await show()).language).toBe('de')
    await running.close()
  })

  it('changes with a change of factors to that of its page, and not with a sign-in', async () => {
    const { client, signedIn, passByDevice, addApp, user, newcomer } = await startOwnApp({ language: 'de' })
    const { browser, account } = await signedIn()
    const { id } = await user()
    await client.users.update(id, { language: 'fr' })

    await newcomer()
    const before = await user()
    await passByDevice(browser, account)
    await addApp(browser)

    expect([before.language, (await user()).language]).toEqual(['fr', 'de'])
  })
})
