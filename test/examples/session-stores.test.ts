import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
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

/** Ends every other connection to the database, as a restart does. */
async function endConnections(connectionString: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
}

describe('session-stores.js', () => {
  it('session-stores.js keeps verified web sessions in PostgreSQL, even after a lost connection', async () => {
    const postgres = await openPostgres()
    onTestFinished(() => postgres.stop())

    const env = { DATABASE_URL: await postgres.createEmptyDatabase() }

    const { example, cookie } = await signInAt(env)
    const other = await startExample('session-stores.js', env, { shared: example.folder })

    for (const { url } of [example, other]) expect(await pageOf(url, cookie)).toContain('Hello, Alice')

    await endConnections(env.DATABASE_URL)
    await expect.poll(() => pageOf(example.url, cookie)).toContain('Hello, Alice')
  })

  inFullRun('session-stores.js keeps verified web sessions in Redis, even after a lost connection', async () => {
    const { url, entries, disconnect } = await startRedis()

    const { example, cookie } = await signInAt({ REDIS_URL: url })
    const page = await pageOf(example.url, cookie)

    expect(page).toContain('Hello, Alice')
    expect([...entries]).toEqual([[expect.stringMatching(/^sess:/), expect.stringContaining('"verified":')]])

    disconnect()
    await expect.poll(() => pageOf(example.url, cookie)).toContain('Hello, Alice')
  })
})
