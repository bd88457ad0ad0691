import { describe, expect, it, onTestFinished } from 'vitest'

import { openPostgres } from '../support/postgres.ts'
import { startRedis } from '../support/redis-server.ts'
import { startExample } from './start-example.ts'

/** Signs in at a process of the app. @returns the process, and the cookie of the browser. */
async function signInAt(env: NodeJS.ProcessEnv) {
  const example = await startExample('session-stores.js', env)
  const browser = example.browser()
  await example.signIn(browser, 'alice')
  await example.passSecondStep(browser)
  return { example, cookie: `connect.sid=${browser.cookie('connect.sid')}` }
}

const pageOf = async (url: string, cookie: string) => (await fetch(url, { headers: { cookie } })).text()

describe('session-stores.js', () => {
  it('keeps verified web sessions in PostgreSQL', async () => {
    const postgres = await openPostgres()
    onTestFinished(() => postgres.stop())

    const env = { DATABASE_URL: await postgres.createEmptyDatabase() }

    const { example, cookie } = await signInAt(env)
    const other = await startExample('session-stores.js', env, { shared: example.folder })

    for (const { url } of [example, other]) expect(await pageOf(url, cookie)).toContain('Hello, Alice')
  })

  it('keeps verified web sessions in Redis', async () => {
    const { url, entries } = await startRedis()

    const { example, cookie } = await signInAt({ REDIS_URL: url })
    const page = await pageOf(example.url, cookie)

    expect(page).toContain('Hello, Alice')
    expect([...entries]).toEqual([[expect.stringMatching(/^sess:/), expect.stringContaining('"verified":')]])
  })
})
