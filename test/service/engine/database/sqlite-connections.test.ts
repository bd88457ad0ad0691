import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { onBehalfOf } from '../../../../src/service/engine/base/waiting-caller.ts'
import {
  insertOrganization,
  organizationById,
} from '../../../../src/service/features/domains/organization-statements.ts'
import { serviceId } from '../../../../src/service/engine/database/service-row.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'
import { StoreUnavailableError } from '../../../../src/service/engine/base/store-errors.ts'
import type { Store } from '../../../../src/service/engine/database/store.ts'
import { setNotifier, notifyAfter } from '../../../../src/service/engine/database/transaction-ends.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { createSchema } from '../../../support/schema-file.ts'

let folder: string
let file: string
let store: Store
let otherConnections: BetterSqlite3.Database[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-connections-'))
  file = join(folder, 'mfa.sqlite')
  otherConnections = []
  await createSchema(file)
  store = await openSqliteStore(file)
  await serviceId(store.db, 'service')
})
afterEach(async () => {
  for (const other of otherConnections) other.close()
  await store.close()
  rmSync(folder, { recursive: true })
})

const organization = (number: number) => ({ id: `${number}`.padStart(40, '0'), name: `O${number}`, createdAt: 1 })
const names = async (from = store) => (await from.db.selectFrom('organization').select('name').execute()).length

/** Acts like another process: SQLite isolates connections in the same way. */
function lock(): { release(): void } {
  const other = new BetterSqlite3(file)
  otherConnections.push(other)
  other.exec('BEGIN IMMEDIATE')
  return { release: () => void other.exec('ROLLBACK') }
}

/** Waits long enough for started calls to reach the database. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => void setImmediate(resolve))
}

/** Resolves when the transaction has begun and made its change. `finish` ends it. */
async function openTransaction(target: Store = store) {
  let finish = () => {}
  const finished = new Promise<void>((resolve) => (finish = resolve))
  let committed: Promise<void> | undefined
  const inside = await new Promise<number>((resolve, reject) => {
    committed = target.db.transaction().execute(async (db) => {
      await insertOrganization(db, organization(1))
      resolve((await db.selectFrom('organization').select('id').execute()).length)
      await finished
    })
    committed.catch(reject)
  })
  return { inside, finish, committed: committed! }
}

describe('a read on a SQLite file', () => {
  it('a SQLite read does not wait for an open transaction, and sees none of it before the commit', async () => {
    const open = await openTransaction()

    const during = names()
    await turns()
    open.finish()
    await open.committed
    const after = await names()

    expect([open.inside, await during, after]).toEqual([1, 0, 1])
  })

  inFullRun('a SQLite read is answered at once while another process holds the write lock', async () => {
    const writeLock = lock()
    const begun = performance.now()

    const counts = await Promise.all(Array.from({ length: 200 }, () => names()))
    const took = performance.now() - begun
    writeLock.release()

    expect(new Set(counts)).toEqual(new Set([0]))
    expect(took).toBeLessThan(1_000)
  })

  it('a SQLite read sees every change that was acknowledged before it', async () => {
    const missed: number[] = []
    for (let number = 0; number < 200; number += 1) {
      await insertOrganization(store.db, organization(number))
      if ((await organizationById(store.db, organization(number).id)) === undefined) missed.push(number)
    }

    expect(missed).toEqual([])
  })

  it('a SQLite read cannot stay open, because that would keep the write-ahead log from being cleared', async () => {
    await insertOrganization(store.db, organization(1))

    const streamed = (async () => {
      for await (const row of store.db.selectFrom('organization').selectAll().stream()) return row
      return undefined
    })()

    await expect(streamed).rejects.toThrow('read them in pages')
  })

  inFullRun('finished SQLite reads do not keep the write-ahead log from being cleared', async () => {
    const other = new BetterSqlite3(file)
    otherConnections.push(other)
    for (let number = 0; number < 20; number += 1) {
      await Promise.all([insertOrganization(store.db, organization(number)), names(), names()])
    }

    const [cleared] = other.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]

    expect([cleared?.busy, statSync(`${file}-wal`).size]).toEqual([0, 0])
  })
})

describe('a read of a database in memory', () => {
  it('a read of a database in memory waits for an open transaction instead of seeing uncommitted changes', async () => {
    const memory = await openSqliteStore(':memory:')
    const open = await openTransaction(memory)
    let answered = false
    const reading = names(memory).then((count) => ((answered = true), count))

    await turns()
    const before = answered
    open.finish()
    await open.committed
    const count = await reading
    await memory.close()

    expect([before, count]).toEqual([false, 1])
  })
})

describeInFullRun('a change of a SQLite file', () => {
  it('a SQLite change keeps what a rollback needs in memory, and writes no temporary file', async () => {
    const { rows } = await store.db.transaction().execute((db) => sql`PRAGMA temp_store`.execute(db))

    expect(rows).toEqual([{ tempStore: 2 }])
  })
})

describe('callers that wait for a change', () => {
  it('callers that wait for a change are woken when it can be read, never before its commit', async () => {
    const counts: Promise<number>[] = []
    setNotifier(store.db, () => counts.push(names()))

    await store.db.transaction().execute(async (db) => {
      await insertOrganization(db, organization(1))
      notifyAfter(db, ['session:1'])
    })

    expect(await Promise.all(counts)).toEqual([1])
  })

  it('callers that wait for a change are woken by other processes, and not by their own', async () => {
    const woken = { own: 0, other: 0 }
    let phase: keyof typeof woken = 'own'
    const stop = store.watchOtherProcesses(() => (woken[phase] += 1))
    for (let number = 0; number < 5; number += 1) {
      await insertOrganization(store.db, organization(number))
      await names()
      // Longer than one interval of polling for changes.
      await new Promise((resolve) => void setTimeout(resolve, 60))
    }

    phase = 'other'
    const other = new BetterSqlite3(file)
    otherConnections.push(other)
    other.exec("INSERT INTO organization (id, name, created_at) VALUES ('x', 'X', 1)")
    await expect.poll(() => woken.other).toBeGreaterThan(0)
    stop()

    expect(woken.own).toBe(0)
  })
})

describe('a change while another process keeps the file locked', () => {
  it('a change of a locked SQLite file times out 2 seconds after it arrived, however many are queued before it', async () => {
    const writeLock = lock()
    const begun = performance.now()

    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, number) =>
        insertOrganization(store.db, organization(number)).catch((error: unknown) => error),
      ),
    )
    const took = performance.now() - begun
    writeLock.release()
    const later = await insertOrganization(store.db, organization(1))

    expect(outcomes.every((outcome) => outcome instanceof StoreUnavailableError)).toBe(true)
    expect(took).toBeGreaterThan(1_900)
    expect(took).toBeLessThan(4_000)
    expect([later, await names()]).toEqual([true, 1])
  })

  it('a change that waits for a locked SQLite file is not executed if its caller disconnects', async () => {
    const writeLock = lock()
    let gone = false
    const changes = [1, 2, 3].map((number) =>
      onBehalfOf({ gone: () => gone && number !== 2, answered: () => false }, () =>
        insertOrganization(store.db, organization(number)),
      ),
    )
    await turns()
    gone = true
    writeLock.release()
    const outcomes = await Promise.allSettled(changes)

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
    expect(await organizationById(store.db, organization(2).id)).toBeDefined()
    expect(await names()).toBe(1)
  })

  it('a change that waits for a locked SQLite file is executed despite a disconnect after another change of its request', async () => {
    let gone = false
    const request = onBehalfOf({ gone: () => gone, answered: () => false }, async () => {
      await insertOrganization(store.db, organization(1))
      const writeLock = lock()
      const completing = insertOrganization(store.db, organization(2))
      await turns()
      gone = true
      writeLock.release()
      await completing
    })
    await request

    expect(await names()).toBe(2)
  })

  inFullRun('a locked SQLite file makes the service not ready until changes can be stored again', async () => {
    const writeLock = lock()
    await insertOrganization(store.db, organization(1)).catch(() => {})

    const during = await store.problem()
    writeLock.release()
    const after = await store.problem()

    expect(during).toMatch(/changes cannot be stored: Another process kept the database file locked/)
    expect(after).toBeUndefined()
  })
})

describe('a change that does not fit on the disk', () => {
  const limitPages = (pages: number) =>
    store.db.transaction().execute((db) => sql`PRAGMA max_page_count = ${sql.lit(pages)}`.execute(db))
  const fillDisk = () => limitPages(1)
  const freeDisk = () => limitPages(1_000_000)

  /** Too large for the free space in the pages of the table. */
  const large = (number: number) => ({ ...organization(number), name: `${number} ${'x'.repeat(20_000)}` })

  inFullRun(
    'a change that does not fit on the disk is rejected as an outage, and keeps acknowledged changes',
    async () => {
      await insertOrganization(store.db, organization(1))
      await fillDisk()

      const refused = await insertOrganization(store.db, large(2)).catch((error: unknown) => error)
      const during = await names()
      await freeDisk()
      const retry = await insertOrganization(store.db, large(2))

      expect(refused).toBeInstanceOf(StoreUnavailableError)
      expect(String(refused)).toContain('The disk is full.')
      expect([during, retry, await names()]).toEqual([1, true, 2])
    },
  )

  it('a change that does not fit on the disk rolls back its transaction, even if the transaction continues after the error', async () => {
    await fillDisk()

    const outcome = await store.db
      .transaction()
      .execute(async (db) => {
        await insertOrganization(db, organization(1))
        await insertOrganization(db, large(2)).catch(() => {})
        await insertOrganization(db, organization(3)).catch(() => {})
      })
      .catch((error: unknown) => error)
    await freeDisk()

    expect(outcome).toBeInstanceOf(StoreUnavailableError)
    expect(await names()).toBe(0)
  })

  inFullRun('a change that does not fit on the disk does not affect later changes that fit', async () => {
    await fillDisk()
    const [refused, stored] = await Promise.allSettled([
      insertOrganization(store.db, large(1)),
      insertOrganization(store.db, organization(2)),
    ])
    await freeDisk()

    expect([refused.status, stored.status]).toEqual(['rejected', 'fulfilled'])
    expect(await names()).toBe(1)
  })

  it('a full disk makes the service not ready until there is space again, without a restart', async () => {
    const healthy = await store.problem()
    await fillDisk()
    await insertOrganization(store.db, large(1)).catch(() => {})

    const full = [await store.problem(), await store.problem()]
    await freeDisk()
    const free = await store.problem()

    expect(healthy).toBeUndefined()
    expect(full).toEqual(full.map(() => 'changes cannot be stored: The disk is full.'))
    expect(free).toBeUndefined()
  })
})

describe('a change to a file that became read-only', () => {
  it('a change to a SQLite file that became read-only is rejected as an outage, and reads still work', async () => {
    await insertOrganization(store.db, organization(1))
    await store.db.transaction().execute((db) => sql`PRAGMA query_only = ON`.execute(db))

    const refused = await insertOrganization(store.db, organization(2)).catch((error: unknown) => error)

    expect(refused).toBeInstanceOf(StoreUnavailableError)
    expect(String(refused)).toContain('The database file cannot be written.')
    expect(await names()).toBe(1)
    expect(await store.problem()).toMatch(/changes cannot be stored/)
  })
})
