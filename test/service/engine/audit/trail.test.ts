import { afterEach, describe, expect, it } from 'vitest'

import { createRefusalLimit } from '../../../../src/service/engine/audit/refusals.ts'
import { pruneAudit, acceptClock } from '../../../../src/service/engine/audit/retention.ts'
import { verifyAudit } from '../../../../src/service/engine/audit/read.ts'
import type { Queryable } from '../../../../src/service/engine/database/schema/schema.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { createService } from '../../../../src/service/index.ts'
import { listen } from '../../../../src/service/engine/http/listen.ts'
import { auditCall } from '../../../../src/service/engine/audit/audit.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { previewCode } from '../../../support/device-signer.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { unique } from '../../features/codes/code-holder.ts'
import { createCall, keysFor, newUser, startService, wideLimits } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { entriesOf, openDatabase } from './recorded.ts'

/** The database, with what happens between the first query and the second one. */
function afterFirstQuery(db: Queryable, happen: () => Promise<unknown>): Queryable {
  let queries = 0
  const executor = db.getExecutor()
  const provideConnection: typeof executor.provideConnection = async (consumer) => {
    queries += 1
    if (queries === 2) await happen()
    return executor.provideConnection(consumer)
  }
  return replacing(db, { getExecutor: () => replacing(executor, { provideConnection }) })
}

/** The same object with other methods. */
function replacing<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(name in methods ? methods : target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

describe.each(mainEngines)('the audit trail on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let open: { close(): Promise<void> }[] = []

  afterEach(async () => {
    for (const resource of open.splice(0).toReversed()) await resource.close()
  })

  function opened<T extends { close(): Promise<void> }>(resource: T): T {
    open.push(resource)
    return resource
  }

  /** A service, and the same database opened without a listener. */
  async function arrange(more: object = {}) {
    const database = await newDatabase()
    const running: Running = opened(await startService({ database, ...more }))
    const node: OpenedService = opened(await openDatabase(database, { clock: running.clock, ...keysFor(database) }))
    const { db } = node.ctx.store
    const create = () => running.call('POST', '/users', { body: newUser(unique()) })
    return { database, running, node, db, create, trail: () => entriesOf(db), verify: () => verifyAudit(db, []) }
  }

  it('the audit trail has no entry for a change that is rolled back', async () => {
    const { node, db, trail, verify, create } = await arrange()
    const before = (await trail()).length
    const call = { ...node.ctx, organizationId: 'o' }

    const undone = db.transaction().execute(async (tx) => {
      await auditCall(tx, call, 'user.created', { user: 'u' })
      throw new Error('taken back')
    })
    await expect(undone).rejects.toThrow('taken back')
    await create()
    // Written by the process that rolled its change back.
    await db.transaction().execute((tx) => auditCall(tx, call, 'user.deleted', { user: 'v' }))

    const events = (await trail()).map(({ event }) => event)
    expect(events.slice(before).toSorted()).toEqual(['user.created', 'user.deleted'])
    expect((await verify()).findings).toEqual([])
  })

  it('the audit trail is found intact also where old entries are pruned while it is verified', async () => {
    const { node, running, create, db, verify } = await arrange()
    await create()
    await running.clock.advance(60)
    await create()
    const prune = () => pruneAudit(node.ctx, running.clock.now() - 30)

    const { findings } = await verifyAudit(afterFirstQuery(db, prune), [])

    expect(await prune()).toBe(0)
    expect(findings).toEqual([])
    expect((await verify()).findings).toEqual([])
  })

  it('the audit trail rolls the change back when its entry cannot be written', async () => {
    const { running, db, create } = await arrange()
    await db.schema.alterTable('audit').renameTo('audit_elsewhere').execute()

    const answer = await create()
    const users = await running.call('GET', '/users')
    await db.schema.alterTable('audit_elsewhere').renameTo('audit').execute()

    expect([answer.status, users.json]).toEqual([500, []])
    expect((await create()).status).toBe(200)
  })

  inFullRun('the audit trail continues without a gap after rolled-back transactions', async () => {
    const { node, db, trail, verify } = await arrange()
    const call = { ...node.ctx, organizationId: 'o' }
    const attempt = (number: number) =>
      db
        .transaction()
        .execute(async (tx) => {
          await auditCall(tx, call, 'user.deleted', { user: String(number) })
          await auditCall(tx, call, 'user.created', { user: String(number) })
          if (number % 3 === 0) throw new Error('taken back')
        })
        .catch(() => {})
    const before = (await trail()).length

    await Promise.all(Array.from({ length: 64 }, (_, number) => attempt(number)))

    expect((await trail()).length - before).toBe(2 * 42)
    expect((await verify()).findings).toEqual([])
  })

  it('the audit trail has no gap and no fork when 64 changes are made at once on two nodes', async () => {
    const { database, running, trail, verify } = await arrange()
    const node = { database, clock: running.clock, limits: wideLimits, ...keysFor(database) }
    const second = opened(await createService(node))
    const door = opened(await listen(second.listener, { host: '127.0.0.1', port: 0 }))
    const calls = [running.call, createCall(`http://127.0.0.1:${door.port}`, running.apiKey)]

    const createMany = () =>
      Promise.all(
        Array.from({ length: 64 }, (_, number) => calls[number % 2]!('POST', '/users', { body: newUser(unique()) })),
      )
    const answers = [...(await createMany()), ...(await createMany())]
    const created = (await trail()).filter(({ event }) => event === 'user.created')

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(created.map(({ facts }) => facts.user))).toEqual(new Set(answers.map(({ json }) => json.id)))
    expect(created).toHaveLength(128)
    expect(await verify()).toMatchObject({ findings: [] })
    // Concurrent transactions need a chain each: one per PostgreSQL connection, or one per change in a group commit on SQLite.
    expect(new Set(created.map(({ writer }) => writer)).size).toBeLessThanOrEqual(engine === 'SQLite' ? 64 : 20)
  })

  inFullRun('the audit trail drops expired entries once when two nodes do so at once', async () => {
    const { database, running, node, verify, create } = await arrange()
    await create()
    const other = opened(await openDatabase(database, { clock: running.clock, ...keysFor(database) }))
    await running.clock.advance(100)
    const all = (await verify()).entries

    const removed = await Promise.all([node, other].map(({ ctx }) => pruneAudit(ctx, running.clock.now())))

    expect(removed[0]! + removed[1]!).toBe(all)
    expect((await verify()).findings).toEqual([])
  })

  // The database has no part in the rest.
  if (!mainEngines.includes(engine)) return

  inFullRun('the audit trail records the actor, the address, the time and the user affected', async () => {
    const { running, trail } = await arrange()
    const { service, organization, clock } = running
    const person = await running.enroll(unique())
    const { id } = await person.ask({ ipAddress: '192.0.2.7' })
    const [request] = await person.pending()
    await person.device.answer(id, { nonce: request!.nonce, decision: 'approve' })

    const entries = await trail()

    const [key] = await service.administration.apiKeys(organization.id)
    const common = { organizationId: organization.id, at: clock.now() }
    const here = expect.stringContaining('127.0.0.1')
    const entriesNamed = (event: string) => entries.filter((entry) => entry.event === event)
    expect(entriesNamed('user.created')).toMatchObject([
      { ...common, actor: { kind: 'api_key', id: key!.id }, address: here, facts: { user: person.user.id } },
    ])
    const device = { kind: 'device', id: person.signer.id }
    expect(entriesNamed('activation.used')).toMatchObject([{ ...common, actor: device, address: here }])
    expect(entriesNamed('session.approved')).toMatchObject([
      { ...common, actor: device, address: '192.0.2.7', facts: { session: id, factor: 'push', user: person.user.id } },
    ])
  })

  it.each([
    ['changed', 'facts', { facts: '{}' }],
    ['changed', 'facts', { facts: 'no JSON' }],
    ['changed', 'address', { address: '192.0.2.1' }],
    ['changed', 'time', { at: 1 }],
    ['changed', 'hash', { hash: '0'.repeat(64) }],
    ['missing', 'whole', undefined],
  ] as const)(
    'the audit trail reveals an entry that is %s in the database: its %s (%#)',
    async (kind, _what, change) => {
      const { db, trail, verify, create } = await arrange()
      for (let times = 0; times < 5; times += 1) await create()
      const { writer, sequence } = (await trail()).at(-3)!

      const altering = change ? db.updateTable('audit').set(change) : undefined
      await altering?.where('writer', '=', writer).where('sequence', '=', sequence).execute()
      if (!change) await db.deleteFrom('audit').where('writer', '=', writer).where('sequence', '=', sequence).execute()

      expect((await verify()).findings[0]).toEqual({ kind, writer, sequence })
    },
  )

  it('the audit trail reveals missing newest entries when compared with a saved head', async () => {
    const { db, trail, verify, create } = await arrange()
    await create()
    const { heads } = await verify()
    const { writer, sequence } = (await trail()).at(-1)!

    await db.deleteFrom('audit').where('writer', '=', writer).where('sequence', '=', sequence).execute()

    expect((await verify()).findings).toEqual([])
    expect((await verifyAudit(db, heads)).findings).toEqual([{ kind: 'cut_off', writer, sequence }])
  })

  inFullRun('the audit trail reveals missing entries of a closed chain without a saved head', async () => {
    const { database, running, db, trail, verify } = await arrange()
    const second = await createService({ database, clock: running.clock, ...keysFor(database) })
    await second.administration.createOrganization(unique())
    await second.close()
    const { writer } = (await trail()).at(-1)!

    await db.deleteFrom('audit').where('writer', '=', writer).execute()

    expect((await verify()).findings).toEqual([{ kind: 'cut_off', writer, sequence: 1 }])
  })

  it('the audit trail drops expired entries from its beginning, and still verifies', async () => {
    const { running, node, db, trail, verify, create } = await arrange()
    for (let times = 0; times < 3; times += 1) await create()
    const { heads } = await verify()
    await running.clock.advance(100)
    await create()
    const old = (await trail()).filter(({ at }) => at < running.clock.now()).length

    const removed = await pruneAudit(node.ctx, running.clock.now())

    expect(removed).toBe(old)
    expect((await trail()).filter(({ at }) => at < running.clock.now())).toEqual([])
    expect((await trail()).filter(({ event }) => event === 'audit.pruned')).not.toEqual([])
    expect((await verifyAudit(db, heads)).findings).toEqual([])
    await create()
    expect((await verify()).findings).toEqual([])
  })

  inFullRun('the audit trail drops expired entries automatically, a tenth a day', async () => {
    const { database, running, trail, verify, create } = await arrange()
    await create()
    const clock = createTestClock(running.clock.now() + 3 * 86_400)
    const options = { clock, auditRetention: 2, ...keysFor(database) }
    const accepting = await openDatabase(database, options)
    await acceptClock(accepting.ctx)
    await accepting.close()
    const later = opened(await openDatabase(database, options))
    const old = async () => (await trail()).filter(({ at }) => at <= running.clock.now())
    const before = await old()

    await clock.advance(5 * 60)
    // Closing waits for the sweep.
    await later.close()

    expect(await old()).toEqual(before.slice(Math.ceil(before.length / 10)))
    expect((await verify()).findings).toEqual([])
  })

  it('the audit trail records at most ten refusals a minute from one address, and then the number omitted', async () => {
    const { running, trail } = await arrange()
    const attempt = () => previewCode(running.origin, 'abcdefghjk')

    for (let tries = 0; tries < 40; tries += 1) await attempt()
    await running.clock.advance(60)
    await attempt()

    const entries = await trail()
    expect(entries.filter(({ event }) => event === 'activation.failed')).toHaveLength(11)
    expect(entries.find(({ event }) => event === 'audit.suppressed')?.facts).toEqual({ count: 30 })
  })

  it('the audit trail records refusals of each kind, however many there were of another', async () => {
    const { running, trail } = await arrange({ trustProxy: 1 })
    const person = await running.enroll('asked too often')
    for (let tries = 0; tries < 70; tries += 1) {
      await previewCode(running.origin, 'abcdefghjk', { 'x-forwarded-for': `192.0.2.${tries}` })
    }

    for (let times = 0; times < 4; times += 1) await person.ask()

    const events = (await trail()).map(({ event }) => event)
    expect(events.filter((event) => event === 'activation.failed')).toHaveLength(60)
    expect(events).toContain('push.throttled')
  })

  it('the audit trail still records refusals after the clock is set back', () => {
    let now = 1_000_000
    const limit = createRefusalLimit({ now: () => now })
    for (let tries = 0; tries < 70; tries += 1) limit.admit('activation.failed', `192.0.2.${tries}`)
    now -= 3_600

    expect(limit.admit('activation.failed', '192.0.2.99')).toBe(10)
  })

  inFullRun(
    'the audit trail logs its heads every 15 minutes if they changed, and when the service closes',
    async () => {
      const { running, create, verify } = await arrange()
      const heads = () => running.logged.filter(({ message }) => message === 'audit head').map(({ details }) => details)
      await create()
      await running.clock.advance(15 * 60)
      const first = heads()
      await running.clock.advance(15 * 60)
      const second = heads()
      await create()
      const standing = (await verify()).heads
      await running.close()

      expect(first.length).toBeGreaterThan(0)
      expect(second).toEqual(first)
      expect(heads().at(-1)).toEqual(standing.find(({ writer }) => writer === Reflect.get(heads().at(-1)!, 'writer')))
    },
  )
})
