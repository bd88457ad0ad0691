import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { member } from '../service/features/codes/code-holder.ts'
import { startService } from '../service/start-service.ts'
import { startMailServer } from '../support/mail-server.ts'
import type { MailServer } from '../support/mail-server.ts'
import { startWebApp } from '../support/web-app.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { startOwnApp } from './own-factors.ts'

let server: MailServer

beforeAll(async () => {
  server = await startMailServer()
})
afterAll(() => server.close())

describe('the language of the mails of a user', () => {
  it('the language of a user’s mails is that of the page where the app adds the user', async () => {
    const { newcomer, user } = await startOwnApp({ language: 'pt' })

    await newcomer()

    expect((await user()).language).toBe('pt')
  })

  it('the language of a user’s mails is that of the page that asks for a code by e-mail', async () => {
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

  it('the language of a user’s mails follows the page at a change of factors, and not at a sign-in', async () => {
    const { client, signedIn, passByDevice, addApp, user, newcomer } = await startOwnApp({ language: 'de' })
    const { browser, account } = await signedIn()
    const { id } = await user()
    await client.users.update(id, { language: 'fr' })

    await newcomer()
    const userBefore = await user()
    await passByDevice(browser, account)
    await addApp(browser)

    expect([userBefore.language, (await user()).language]).toEqual(['fr', 'de'])
  })
})

describe('the time zone of the mails of a user', () => {
  const inZone = (timeZone: string): Parameters<typeof startOwnApp>[0] => ({
    user: (req) => req.user && { ...(req.user as { username: string }), timeZone },
  })

  it('the time zone of a user’s mails is that of the app, where it names one', async () => {
    const { newcomer, user } = await startOwnApp(inZone('Asia/Tokyo'))

    await newcomer()

    expect((await user()).timeZone).toBe('Asia/Tokyo')
  })

  it('the time zone of a user’s mails is otherwise the browser’s, which its forms send with a change of factors', async () => {
    const { withDevice, user } = await startOwnApp()
    const { browser } = await withDevice()
    const userBefore = await user()

    await browser.submit('/mfa/devices/codes', { again: 'yes', timeZone: 'Europe/Berlin' })

    expect([userBefore.timeZone, (await user()).timeZone]).toEqual([undefined, 'Europe/Berlin'])
  })

  it('the time zone of a user’s mails stays that of the app, whatever a browser sends', async () => {
    const { withDevice, user } = await startOwnApp(inZone('Asia/Tokyo'))
    const { browser } = await withDevice()

    await browser.submit('/mfa/devices/codes', { again: 'yes', timeZone: 'Europe/Berlin' })

    expect((await user()).timeZone).toBe('Asia/Tokyo')
  })

  it('the forms of our pages send the time zone of the browser, and those of the app do not', async () => {
    const { url, withDevice } = await startOwnApp()
    const { browser } = await withDevice()
    const page = await keptPage(await sharedChromium(), { timezoneId: 'Asia/Tokyo' })
    await page.context().addCookies(browser.cookiesAt(url))
    const postedForms: (string | null)[] = []
    page.on('request', (request) => void (request.method() === 'POST' && postedForms.push(request.postData())))

    await page.goto(`${url}/mfa/devices`)
    await page.locator('form[action$="/devices/codes"] button').click()
    await page.waitForURL('**/mfa/devices/codes')
    await page.locator('form[action="/logout"] button').click()
    await expect.poll(() => postedForms.length).toBe(2)

    expect(postedForms[0]).toContain('timeZone=Asia%2FTokyo')
    expect(postedForms[1] ?? '').not.toContain('timeZone')
  })

  it.each(['nowhere', 'Europe/Nowhere', 'x'.repeat(200), '\0', ''])(
    'the time zone of a user’s mails is never one that does not exist: %j',
    async (timeZone) => {
      const { withDevice, user } = await startOwnApp()
      const { browser } = await withDevice()

      const { status } = await browser.submit('/mfa/devices/codes', { again: 'yes', timeZone })

      expect([status, (await user()).timeZone]).toEqual([303, undefined])
    },
  )

  it('a time zone from the app that does not exist stops no request of the user', async () => {
    const { newcomer, user } = await startOwnApp(inZone('Mars/Olympus'))

    const { page } = await newcomer()

    expect([page.status, (await user()).timeZone]).toEqual([200, undefined])
  })
})
