import { randomBytes } from 'node:crypto'

import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { addDomain } from '../../../../src/service/features/domains/administration.ts'
import { useEngine } from '../../../support/engines.ts'
import { newUser } from '../../start-service.ts'
import { administrator, startConsole } from './console-holder.ts'
import type { Console, Invited } from './console-holder.ts'
import { askedCaller, personWithDevice } from '../callers/phone-caller.ts'
import type { Person } from '../callers/phone-caller.ts'

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
    // Other test files use the same server.
    const sql = `select count(*)::int as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`
    return (await outside.query<{ count: number }>(sql)).rows[0]?.count
  }
  const lockPerson = async () => {
    await outside.query('begin')
    await outside.query('update "user" set ever_enrolled = ever_enrolled where id = $1', [person.id])
  }
  const reset = () => helpdesk.call('POST', `/people/${person.id}/reset`, { body: { because } })

  it('a console change that waits for a person’s denial of a caller is refused because of it', async () => {
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

  it('a person’s denial of a caller waits for a console change in progress', async () => {
    const question = await askedCaller(helpdesk, person)
    await lockPerson()

    const answered = question.answer('deny')
    await expect.poll(waiting).toBe(1)
    await outside.query('commit')

    expect((await answered).json.state).toBe('denied')
    expect((await reset()).code).toBe('api.error.forbidden.blocked')
  })

  it('a console change is refused if the synchronization it waits for adds the person to another administrator’s app', async () => {
    const admin = await administrator(running, { role: 'admin', domains: [running.domain.id] })
    const other = await addDomain(running.ctx, running.organization.id, { name: 'Joined' })
    const synchronization = randomBytes(20).toString('hex')
    const row = [synchronization, running.organization.id, other.id, running.clock.now()]
    await outside.query(
      `insert into synchronization (id, organization_id, domain_id, holder, beat_at) values ($1, $2, $3, '', $4)`,
      row,
    )
    await outside.query('insert into membership (domain_id, user_id, added_by) values ($1, $2, $3)', [
      other.id,
      person.id,
      synchronization,
    ])
    await outside.query('begin')
    await outside.query('select id from organization where id = $1 for no key update', [running.organization.id])

    const answer = admin.call('POST', `/people/${person.id}/reset`, { body: { because } })
    await expect.poll(waiting).toBe(1)
    await outside.query('update synchronization set applied_at = beat_at where id = $1', [synchronization])
    await outside.query('commit')
    await outside.query('delete from synchronization where id = $1', [synchronization])

    expect((await answer).code).toBe('api.error.forbidden.elsewhere')
  })

  it('a synchronization waits for a console change in progress', async () => {
    const other = await addDomain(running.ctx, running.organization.id, { name: 'Waits' })
    const path = `/domains/${other.id}/users`
    const username = 'joins by a synchronization'
    await outside.query('begin')
    await outside.query('select id from organization where id = $1 for share', [running.organization.id])

    const synchronized = running.call('PUT', path, { body: [newUser(username)] })
    await expect.poll(waiting).toBe(1)
    const { json: before } = await running.call('GET', path)
    await outside.query('commit')
    const { status } = await synchronized

    expect(before).toEqual([])
    expect(status).toBeLessThan(300)
    expect((await running.call('GET', path)).json).toMatchObject([{ username }])
  })

  it('at most one of 100 console changes is tried again while 12 administrators change people at once', async () => {
    const agents = await newCrowd({ role: 'admin', domains: [running.domain.id] })
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

  it('at most one of 100 console changes without a person is tried again while 12 administrators make them at once', async () => {
    const agents = await newCrowd({ role: 'owner' })
    const auditors = await Promise.all(agents.map(() => administrator(running, { role: 'auditor' })))
    const conflicts = countConflicts()

    const answers = await Promise.all(
      agents.map(async ({ call }, index) => {
        const other = `/administrators/${auditors[index]?.id}`
        const name = `Domain of ${index}`
        const steps = [
          () => call('POST', '/domains', { body: { name, type: 'WEB' } }),
          () => call('POST', '/api-keys', { body: { role: 'auth', domain: null } }),
          () => call('PUT', other, { body: { role: 'owner' }, headers: { 'if-match': '"1"' } }),
          () => call('POST', '/invitations', { body: { name, email: `${index}@example.com`, role: 'auditor' } }),
          () => call('DELETE', `${other}/sessions`),
          () => call('DELETE', `/domains/${running.domain.id}/image`),
        ]
        const own = []
        for (const turn of steps.keys()) own.push(await steps[(index + turn) % steps.length]?.())
        return own
      }),
    )

    const statuses = answers.flat().map((answer) => answer?.status)
    expect(statuses.filter((status) => status === 200 || status === 201 || status === 204)).toHaveLength(crowd * 6)
    expect(conflicts.count).toBeLessThanOrEqual(statuses.length / 100)
  })

  /** Administrators who have just used their passkeys. */
  async function newCrowd(invited: Invited): Promise<Administrator[]> {
    const agents: Administrator[] = []
    for (let count = 0; count < crowd; count++) {
      running.clock.skip(600)
      agents.push(await administrator(running, invited))
    }
    const now = running.clock.now()
    const { db } = running.ctx.store
    await db.updateTable('administratorSession').set({ createdAt: now, usedAt: now, passedAt: now }).execute()
    return agents
  }

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
