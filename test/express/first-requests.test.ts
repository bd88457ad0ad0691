import { afterEach, expect, it, vi } from 'vitest'

import { createFirstRequests } from '../../src/express/setup-checks/first-requests.ts'
import { startWebApp } from '../support/web-app.ts'

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

it.each([undefined, 'development'])(
  'mfa() says once who visits, and once who is signed in, with NODE_ENV %s',
  async (mode) => {
    expect(await linesIn(mode)).toEqual([
      expect.stringMatching(
        /^mfa: GET \/somewhere: nobody is signed in, as the option user says, .*write where your app keeps them/,
      ),
      'mfa: GET /account: alice is signed in, as the option user says (no name: people see the username; e-mail person@example.com)',
    ])
  },
)

it('mfa() says nothing of visitors and users in tests', async () => {
  expect(await linesIn('test')).toEqual([])
})

it.each(['production', 'staging'])('mfa() looks at no users for its log with NODE_ENV %s', (mode) => {
  expect(createFirstRequests({} as never, { NODE_ENV: mode })).toBeUndefined()
})
