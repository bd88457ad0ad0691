import { createClient } from 'second-factor/client'
import type { MfaOptions } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

/** An app whose own login ignores case, and keeps what was typed; alice has a device. */
async function startTolerantApp(mfa: Partial<MfaOptions> = {}) {
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const app = await startWebApp({ mfa: { helpUrl: '/help', logger: { info() {}, warn, error() {} }, ...mfa } })
  await app.enroll(app.browser(), 'alice')
  const { baseUrl, apiKey, fetch } = await app.service.connect()
  async function signInAs(username: string, headers: Record<string, string> = {}) {
    const browser = app.browser()
    await app.signIn(browser, username)
    return { browser, page: await browser.open('/mfa', headers) }
  }
  return { ...app, warnings, signInAs, users: createClient({ baseUrl, apiKey, fetch }).users }
}

describe('a user whose name is similar to a known one', () => {
  it.each(['ALICE', 'alice ', 'al\u200bice', 'Álice'])(
    'a user whose name is similar to a known one sets up no first factor: %j',
    async (username) => {
      const app = await startTolerantApp()

      const { browser, page } = await app.signInAs(username)
      const ownApp = await browser.open('/mfa/enroll/app')

      expect(page.text).toContain('Sign in with your name as it was registered, or ask your administrator.')
      expect(page.text).toContain('href="/help"')
      expect(page.text + ownApp.text).not.toMatch(/activate#|otpauth:/)
      expect((await app.users.list()).map((user) => user.username)).toEqual(['alice'])
    },
  )

  inFullRun('a user whose name is similar to a known one is told so in Arabic, too', async () => {
    const app = await startTolerantApp()

    const { page } = await app.signInAs('ALICE', { 'accept-language': 'ar' })

    expect(page.text).toContain('سجّل الدخول باسمك كما هو مُسجَّل، أو راجِع المسؤول.')
  })

  inFullRun('the log names a user whose name is similar, with the name that is known', async () => {
    const app = await startTolerantApp()

    await app.signInAs('al\u200bice')

    expect(app.warnings).toContainEqual(
      expect.stringMatching(/^mfa: the user "al\\u\{200b\}ice" was not provisioned: .*"alice"/),
    )
  })

  inFullRun('a similar name is another user if the app says that its names are exact', async () => {
    const app = await startTolerantApp({ usernames: 'exact' })

    await app.signInAs('ALICE')

    expect((await app.users.list()).map((user) => user.username)).toEqual(['alice', 'ALICE'])
  })

  it.each(['distinct', 'exact'] as const)(
    'mfa() provisions no user whose username has direction controls, with usernames set to %s',
    async (usernames) => {
      const app = await startTolerantApp({ usernames })

      const { browser, page } = await app.signInAs('\u202Eecila')
      const ownApp = await browser.open('/mfa/enroll/app')

      expect(page.text + ownApp.text).not.toMatch(/activate#|otpauth:|#code=/)
      expect((await app.users.list()).map((user) => user.username)).toEqual(['alice'])
      expect(app.warnings).toContainEqual(
        expect.stringContaining('the user "\\u{202e}ecila" was not provisioned: username: must not contain characters'),
      )
    },
  )

  inFullRun.each(['distinct', 'exact'] as const)(
    'a display name with direction controls is replaced by the username, with usernames set to %s',
    async (usernames) => {
      const user: MfaOptions['user'] = (req) =>
        req.user && { username: (req.user as { username: string }).username, name: '\u202Eecila' }
      const app = await startTolerantApp({ usernames, user })

      expect((await app.users.list()).map(({ name }) => name)).toEqual(['alice'])
      expect(app.warnings).toEqual([expect.stringMatching(/^mfa: a user has a name that cannot be used/)])
    },
  )
})
