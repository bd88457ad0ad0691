import { randomBytes } from 'node:crypto'

import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { useEngine } from '../../support/engines.ts'
import { administrator, startConsole } from './console-holder.ts'
import type { Console } from './console-holder.ts'
import { askedCaller, personWithDevice } from './phone-caller.ts'
import type { Person } from './phone-caller.ts'

type Administrator = Awaited<ReturnType<typeof administrator>>

/** How many administrators change something at once. */
const crowd = 12

const because = 'test'

// On SQLite, transactions follow each other.
describe.skipIf(process.env.SQLITE_ONLY)('a change of the console on PostgreSQL', () => {
  const newDatabase = useEngine('PostgreSQL')
  let running: Console
  let outside: Client
  let helpdesk: Administrator
  let person: Person

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startConsole(database)
    outside = new Client(database)
    await outside.connect()
  })
  afterAll(async () => {
    await outside.end()
    await running.close()
  })
  beforeEach(async () => {
    // Ceremonies are limited by address, so time passes.
    running.clock.skip(600)
    helpdesk = await administrator(running, { role: 'helpdesk', domains: [running.domain.id] })
    person = await personWithDevice(running)
  })

  const waiting = async () => {
    const sql = "select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'"
    return (await outside.query<{ count: number }>(sql)).rows[0]?.count
  }
  const lockPerson = async () => {
    await outside.query('begin')
    await outside.query('update "user" set ever_enrolled = ever_enrolled where id = $1', [person.id])
  }
  const reset = () => helpdesk.call('POST', `/people/${person.id}/reset`, { body: { because } })

  it('that waits for an answer of No is refused by it', async () => {
    await (await askedCaller(helpdesk, person)).confirm()
    await lockPerson()
    await outside.query(
      `insert into caller_verification (id, organization_id, domain_id, user_id, device_id, requested_by, state, nonce,
        number, created_at, expires_at, settled_at)
        select $1, organization_id, domain_id, user_id, device_id, requested_by, 'denied', nonce, number, created_at,
        expires_at, settled_at from caller_verification where user_id = $2`,
      [randomBytes(20).toString('hex'), person.id],
    )

    const answer = reset()
    await expect.poll(waiting).toBe(1)
    await outside.query('commit')

    expect((await answer).code).toBe('api.error.forbidden.blocked')
  })

  it('is waited for by an answer of No', async () => {
    const question = await askedCaller(helpdesk, person)
    await lockPerson()

    const answered = question.answer('deny')
    await expect.poll(waiting).toBe(1)
    await outside.query('commit')

    expect((await answered).json.state).toBe('denied')
    expect((await reset()).code).toBe('api.error.forbidden.blocked')
  })

  it('is tried again in at most one of 100 cases while 12 administrators change people at once', async () => {
    const agents: Administrator[] = []
    for (let count = 0; count < crowd; count++) {
      running.clock.skip(600)
      agents.push(await administrator(running, { role: 'admin', domains: [running.domain.id] }))
    }
    const now = running.clock.now()
    const { db } = running.ctx.store
    await db.updateTable('administratorSession').set({ createdAt: now, usedAt: now, passedAt: now }).execute()
    const people = await Promise.all([0, 1, 2, 3].map(() => personWithDevice(running)))
    const conflicts = countConflicts()

    const answers = await Promise.all(
      agents.map(async (agent, index) => {
        const own = []
        for (const [turn, { id }] of [...people, ...people].entries()) {
          const path = ['unlock', `domains/${running.domain.id}/token`, 'bypass-codes/delete'][(index + turn) % 3]
          own.push(await agent.call('POST', `/people/${id}/${path}`, { body: { because } }))
        }
        return own
      }),
    )

    const statuses = answers.flat().map(({ status }) => status)
    expect(statuses).toEqual(Array(crowd * people.length * 2).fill(200))
    expect(conflicts.count).toBeLessThanOrEqual(statuses.length / 100)
  })

  /** How many transactions PostgreSQL aborts because of others: serialization_failure and deadlock_detected. */
  function countConflicts() {
    const conflicts = { count: 0 }
    const query = Reflect.get(Client.prototype, 'query') as (this: Client, ...values: unknown[]) => unknown
    const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...values: unknown[]) {
      const result = query.apply(this, values)
      void Promise.resolve(result).catch((error: { code?: string }) => {
        if (error.code === '40001' || error.code === '40P01') conflicts.count += 1
      })
      return result as never
    })
    onTestFinished(() => spy.mockRestore())
    return conflicts
  }
})
