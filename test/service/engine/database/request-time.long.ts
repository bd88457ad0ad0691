import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { createListLane } from '../../../../src/service/engine/base/list-lane.ts'
import { onBehalfOf } from '../../../../src/service/engine/base/waiting-caller.ts'
import { CallerGoneError, StoreUnavailableError } from '../../../../src/service/engine/base/store-errors.ts'
import { openPostgresStore } from '../../../../src/service/engine/database/postgres.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'
import { nextTurn } from '../../../../src/service/engine/base/next-turn.ts'
import { serviceId } from '../../../../src/service/engine/database/service-row.ts'
import { createSettledFeed } from '../../../../src/service/engine/waiting/settled-feed.ts'
import { createWaiters } from '../../../../src/service/engine/waiting/waiters.ts'
import { waiterKey } from '../../../../src/service/engine/base/waiter-key.ts'
import type { Store } from '../../../../src/service/engine/database/store.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'
import { openPostgres } from '../../../support/postgres.ts'
import { member } from '../../features/codes/code-holder.ts'
import { startService } from '../../start-service.ts'

const id = '0'.repeat(40)

const caller = { gone: () => false, answered: () => false }

afterEach(() => {
  vi.restoreAllMocks()
  skipped = 0
})

const realNow = performance.now.bind(performance)
let skipped = 0

/** Lets so many milliseconds pass for whoever asks the machine. */
function skip(milliseconds: number): void {
  skipped += milliseconds
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + skipped)
}

/** Milliseconds. */
const timeout = 1_000

const postgres = await openPostgres()
afterAll(() => postgres.stop())

async function openStore() {
  const store = await openPostgresStore(await postgres.createDatabase(), { timeout })
  onTestFinished(() => store.close())
  /** Takes more than half of the time. */
  const takeLong = () => sql`select pg_sleep(0.6)`.execute(store.db)
  const update = () => store.db.transaction().execute((db) => serviceId(db, id))
  return { ...store, takeLong, update }
}

describe('the time of a request at PostgreSQL', () => {
  it('the units of work of one request share its time, and what follows is not begun', async () => {
    const { takeLong, update } = await openStore()

    const ends = await onBehalfOf(caller, async () => {
      await takeLong()
      const second = await takeLong().catch((error: unknown) => error)
      return { second, third: await update().catch((error: unknown) => error) }
    })

    expect(ends.second).toBeInstanceOf(StoreUnavailableError)
    expect(String(ends.third)).toContain('used up its time')
  })

  it('a request has its whole time again for each of its steps, and after it has waited for something else', async () => {
    const { takeLong } = await openStore()

    const inSteps = onBehalfOf(caller, async () => {
      await takeLong()
      await nextTurn()
      await takeLong()
      skip(300)
      return takeLong()
    })

    await expect(inSteps).resolves.toMatchObject({ rows: [{}] })
  })

  it('work that outlives its request has the whole time, and so has work of no request', async () => {
    const { takeLong } = await openStore()
    let isAnswered = false

    const leftBehind = onBehalfOf({ ...caller, answered: () => isAnswered }, async () => {
      await takeLong()
      isAnswered = true
      return takeLong()
    })

    await expect(leftBehind).resolves.toMatchObject({ rows: [{}] })
    await takeLong()
    await expect(takeLong()).resolves.toMatchObject({ rows: [{}] })
  })
})

describe('a caller who hangs up', () => {
  it('a change is not begun whose caller has hung up while it waited for a connection to PostgreSQL', async () => {
    const { db } = await openStore()
    const change = vi.fn<() => Promise<void>>().mockResolvedValue()
    let isGone = false
    // As many as there are connections.
    const others = Array.from({ length: 10 }, () => sql`select pg_sleep(0.3)`.execute(db))

    const dropped = onBehalfOf({ ...caller, gone: () => isGone }, () => db.transaction().execute(change))
    isGone = true

    await expect(dropped).rejects.toBeInstanceOf(CallerGoneError)
    await Promise.all(others)
    expect(change).not.toHaveBeenCalled()
  })
})

describe('lists at PostgreSQL', () => {
  it('lists that wait for the database leave connections to changes, however many there are', async () => {
    const database = await postgres.createDatabase()
    const running = await startService({ database, limits: { databaseTime: 10_000 } })
    onTestFinished(() => running.close())
    const alice = await member(running)
    const blocker = new Client(database)
    await blocker.connect()
    onTestFinished(() => blocker.end())
    await blocker.query('begin')
    await blocker.query('lock table hardware_token in access exclusive mode')
    let isAnswered = false

    const lists = Promise.all(
      Array.from({ length: 30 }, () => running.call('GET', '/hardware').finally(() => (isAnswered = true))),
    )
    const changes = await Promise.all(
      Array.from({ length: 5 }, () =>
        running.call('POST', `${alice.path}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 60 } }),
      ),
    )
    const wasAnswered = isAnswered
    await blocker.query('rollback')

    expect(changes.map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect(wasAnswered).toBe(false)
    expect(new Set((await lists).map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('a list that has waited for its turn as long as a request may take is never read', async () => {
    const lane = createListLane(50)
    const read = vi.fn<() => Promise<void>>().mockResolvedValue()
    const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = ends.map(({ promise }) => lane.run(() => promise))

    const late = onBehalfOf(caller, () => lane.run(read))

    await expect(late).rejects.toBeInstanceOf(StoreUnavailableError)
    for (const { resolve } of ends) resolve()
    await Promise.all(slow)
    await lane.run(() => Promise.resolve())
    expect(read).not.toHaveBeenCalled()
  })
})

describe('work that serves many requests', () => {
  it('a feed that a stream has begun has its own time: it goes on as long as changes arrive', async () => {
    const { db } = await openStore()
    const waiters = createWaiters({ watchOtherProcesses: () => () => {}, notifyOtherProcesses() {} })
    const logger = { info() {}, warn() {}, error() {} }
    const store = { db } as Store
    const feed = createSettledFeed({ store, waiters, clock: createTestClock(), logger })
    onTestFinished(() => feed.close())
    const end = vi.fn<() => void>()
    onBehalfOf(caller, () => feed.follow('d'.repeat(40), { event() {}, end }))

    const start = performance.now()
    for (let wakes = 0; performance.now() - start < 1.5 * timeout; wakes += 1) {
      waiters.wake(waiterKey.session(`s${wakes % 50}`))
      await nextTurn()
    }

    expect(end).not.toHaveBeenCalled()
  })
})

describe('the time of a request at SQLite', () => {
  it('the changes of one request share its time, also that which they take in their transactions', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-slow-'))
    const store = await openSqliteStore(join(folder, 'mfa.sqlite'))
    onTestFinished(async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    })
    const change = () =>
      store.db.transaction().execute(async (db) => {
        await serviceId(db, id)
        skip(3_000)
      })

    const ends = await onBehalfOf(caller, async () => {
      await change()
      await change()
      return change().catch(String)
    })

    expect(ends).toContain('used up its time')
  })

  it('a change that waited behind a disk that hung is refused when its turn comes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-hung-'))
    const store = await openSqliteStore(join(folder, 'mfa.sqlite'))
    onTestFinished(async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    })
    const change = () => store.db.transaction().execute((db) => serviceId(db, id))
    const hang = Promise.withResolvers<void>()
    const earlier = store.db.transaction().execute(() => hang.promise)
    await nextTurn()

    const waiting = onBehalfOf(caller, change)
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    skip(10_000)
    hang.resolve()

    await expect(waiting).rejects.toThrow('used up its time')
    await earlier
    expect(await change()).toBe(id)
  })
})
