import { describe, expect, it, onTestFinished } from 'vitest'

import { openPostgres } from '../support/postgres.ts'
import { startRedis } from '../support/redis-server.ts'
import { startExample } from './start-example.ts'

/** Signs in at one process of the app. @returns what the same browser is shown by that one and by another. */
async function pagesOfTwoProcesses(env: NodeJS.ProcessEnv): Promise<string[]> {
  const one = await startExample('session-stores.js', env)
  const other = await startExample('session-stores.js', env, { shared: one.folder })
  const browser = one.browser()
  await one.signIn(browser, 'alice')
  await one.passSecondStep(browser)
  const cookie = `connect.sid=${browser.cookie('connect.sid')}`
  return Promise.all([one, other].map(async ({ url }) => (await fetch(url, { headers: { cookie } })).text()))
}

const twice = [expect.stringContaining('Hello, Alice'), expect.stringContaining('Hello, Alice')]

describe('session-stores.js', () => {
  it('keeps verified web sessions in PostgreSQL', async () => {
    const postgres = await openPostgres()
    onTestFinished(() => postgres.stop())

    const pages = await pagesOfTwoProcesses({ DATABASE_URL: await postgres.createEmptyDatabase() })

    expect(pages).toEqual(twice)
  })

  it('keeps verified web sessions in Redis', async () => {
    const { url, entries } = await startRedis()

    const pages = await pagesOfTwoProcesses({ REDIS_URL: url })

    expect(pages).toEqual(twice)
    expect([...entries.keys()]).toEqual([expect.stringMatching(/^sess:/)])
  })
})
