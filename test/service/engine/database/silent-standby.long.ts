import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { execute, startPostgres } from '../../../support/postgres.ts'
import type { OwnPostgres } from '../../../support/postgres.ts'
import { newUser, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

/** Milliseconds. */
const databaseTime = 2_000
/** Enough for one such time and a slow machine, and too little for each statement of a request to have its own. */
const inTime = 6_000

interface Answer {
  readonly username: string
  readonly status: number
  readonly outcome: unknown
  readonly duration: number
}

// In order: PostgreSQL commits only what a synchronous standby has received, and there is none that answers. Then nothing waits for it.
describe('a service whose synchronous standby does not answer', () => {
  let postgres: OwnPostgres
  let running: Running
  let answers: readonly Answer[]

  const ready = async () => (await fetch(`${running.origin}/readyz`)).status
  const waitFor = async (standby: string) => {
    await execute(postgres.url, `ALTER SYSTEM SET synchronous_standby_names = '${standby}'`)
    await execute(postgres.url, 'SELECT pg_reload_conf()')
  }
  const create = async (number: number): Promise<Answer> => {
    const user = newUser(`user${number}`)
    const start = performance.now()
    const { status, json } = await running.call('POST', '/users', { body: user })
    const [error] = (json.errors ?? []) as { outcome?: unknown }[]
    return { username: user.username, status, outcome: error?.outcome, duration: performance.now() - start }
  }
  const waitingCommits = async () => {
    const client = new Client(postgres.url)
    await client.connect()
    const { rows } = await client.query(`SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
    await client.end()
    return rows
  }
  const exists = async ({ username }: Answer) =>
    (await running.call('GET', `/users?username=${username}`)).status === 200

  beforeAll(async () => {
    postgres = await startPostgres()
    running = await startService({ database: await postgres.createEmptyDatabase(), limits: { databaseTime } })
    await create(0)
    await waitFor('*')
  })
  afterAll(async () => {
    await running.close()
    await waitFor('')
    await postgres.stop()
  })

  it('a service is not ready while a COMMIT waits for a standby, and serves reads', async () => {
    let isAnswered = false
    const writes = Promise.all(
      Array.from({ length: 30 }, (_, index) => create(index + 1).finally(() => (isAnswered = true))),
    )

    await expect.poll(ready, { timeout: 5_000 }).toBe(503)
    const wasBefore = !isAnswered
    const read = await running.call('GET', `/users?username=${newUser('user0').username}`)
    answers = await writes

    expect([wasBefore, read.status]).toEqual([true, 200])
    expect(await ready()).toBe(503)
  })

  it('30 changes at once are all answered in time with 503, and say which of them may be stored', () => {
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    expect(answers.filter(({ duration }) => duration > inTime)).toEqual([])
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['unknown', undefined]))
  })

  it('a change that was refused is never made, and one with an unknown outcome may be, once the standby is not waited for', async () => {
    await waitFor('')

    await expect.poll(ready).toBe(200)
    await expect.poll(waitingCommits).toEqual([])
    const stored = await Promise.all(answers.map(exists))
    const isStored = (outcome: unknown) => stored.filter((_, index) => answers[index]?.outcome === outcome)
    expect(new Set(isStored(undefined))).toEqual(new Set([false]))
    expect(isStored('unknown')).toContain(true)
    expect((await create(31)).status).toBe(200)
  })
})
