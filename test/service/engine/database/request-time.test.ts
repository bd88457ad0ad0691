import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sql } from 'kysely'
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { onBehalfOf } from '../../../../src/service/engine/base/waiting-caller.ts'
import { StoreUnavailableError } from '../../../../src/service/engine/base/store-errors.ts'
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
