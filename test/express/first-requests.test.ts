import { afterEach, expect, it, vi } from 'vitest'

import { createFirstRequests } from '../../src/express/setup-checks/first-requests.ts'
import { startWebApp } from '../support/web-app.ts'
import { inFullRun } from '../support/full-run.ts'

afterEach(() => vi.unstubAllEnvs())

/** What an app tells while a visitor comes twice, and two users sign in. */
async function linesIn(mode: string | undefined) {
  vi.stubEnv('NODE_ENV', mode)
  const lines: string[] = []
  const logger = { info: (line: string) => void lines.push(line), warn() {}, error() {} }
  const app = await startWebApp({ mfa: { logger, publicUrl: 'http://localhost' } })
  const browser = app.browser()
  await browser.open('/somewhere')
  await browser.open('/elsewhere')
  await app.signIn(browser, 'alice')
  await browser.open('/account')
  await app.signIn(app.browser(), 'bob')
  await browser.open('/account')
  return lines
}

inFullRun.each([undefined, 'development'])(
  'mfa() says once that nobody is signed in, and once that somebody is, without values, with NODE_ENV %s',
  async (mode) => {
    expect(await linesIn(mode)).toEqual([
      expect.stringMatching(/^mfa: the option user returned nobody, .*write where your app keeps the user/),
      'mfa: the option user returned a user with a username, no name (people see the username), an e-mail address',
    ])
  },
)

it('mfa() says nothing of visitors and users in tests', async () => {
  expect(await linesIn('test')).toEqual([])
})

it.each(['production', 'staging'])('mfa() looks at no users for its log with NODE_ENV %s', (mode) => {
  expect(createFirstRequests({} as never, { NODE_ENV: mode })).toBeUndefined()
})
