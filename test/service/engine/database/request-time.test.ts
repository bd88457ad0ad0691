import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sql } from 'kysely'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'

import { beginStep, onBehalfOf } from '../../../../src/service/engine/base/caller.ts'
import { StoreUnavailableError } from '../../../../src/service/engine/base/store-errors.ts'
import { openPostgresStore } from '../../../../src/service/engine/database/postgres.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'
import { nextTurn } from '../../../../src/service/engine/base/next-turn.ts'
import { serviceId } from '../../../../src/service/engine/database/service-row.ts'
import { openPostgres } from '../../../support/postgres.ts'

const id = '0'.repeat(40)

const caller = { gone: () => false }

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

  it('a request has its whole time again after it has waited for something else, and work without a request always has', async () => {
    const { takeLong } = await openStore()

    const withPauses = onBehalfOf(caller, async () => {
      await takeLong()
      beginStep()
      await takeLong()
      await nextTurn()
      return takeLong()
    })
    await expect(withPauses).resolves.toMatchObject({ rows: [{}] })
    await takeLong()
    await expect(takeLong()).resolves.toMatchObject({ rows: [{}] })
  })
})

describe('the time of a request at SQLite', () => {
  it('a change that waited behind a disk that hung is refused when its turn comes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-hung-'))
    const store = await openSqliteStore(join(folder, 'mfa.sqlite'))
    onTestFinished(async () => {
      vi.restoreAllMocks()
      await store.close()
      rmSync(folder, { recursive: true })
    })
    const change = () => store.db.transaction().execute((db) => serviceId(db, id))
    const hang = Promise.withResolvers<void>()
    const earlier = store.db.transaction().execute(() => hang.promise)
    await nextTurn()

    const waiting = onBehalfOf(caller, change)
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000)
    hang.resolve()

    await expect(waiting).rejects.toThrow('used up its time')
    await earlier
    expect(await change()).toBe(id)
  })
})
