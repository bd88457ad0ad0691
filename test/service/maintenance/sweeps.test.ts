import { DefaultQueryExecutor, sql } from 'kysely'
import type { QueryExecutor, QueryResult } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { pruneAudit } from '../../../src/service/audit/retention.ts'
import { createAdministration } from '../../../src/service/admin/administration.ts'
import type { OpenedService } from '../../../src/service/service.ts'
import type { Database } from '../../../src/service/store/schema.ts'
import { sweep } from '../../../src/service/maintenance/sweep.ts'
import { createTestClock } from '../../../src/testing/clock.ts'
import { insertBacklog } from '../../support/backlog.ts'
import { engines, useEngine } from '../../support/engines.ts'
import { openDatabase } from '../audit/recorded.ts'
import { keysFor } from '../start-service.ts'

/** Rows of each kind: more than one step may change, and fewer than two. */
const count = 600
const year = 365 * 86_400

/** Tables that a sweep empties, because all of their rows have expired. */
const emptied = [
  'bypassCode',
  'emailCode',
  'challengeTry',
  'knownBrowser',
  'deviceHistory',
  'deviceNotice',
  'deviceCall',
  'attempt',
  'tally',
  'device',
] as const satisfies readonly (keyof Database)[]

describe.each(engines)('a sweep with a backlog on %s', { timeout: 60_000 }, (engine) => {
  const newDatabase = useEngine(engine)
  const clock = createTestClock()
  let node: OpenedService
  let database: string

  beforeEach(async () => {
    database = await newDatabase()
    node = await openDatabase(database, { clock, push: false, ...keysFor(database) })
    const { id: organizationId } = await createAdministration(node.ctx).createOrganization('Organization')
    const [first, second] = await Promise.all(
      ['First', 'Second'].map((name) => createAdministration(node.ctx).createDomain(organizationId, { name })),
    )
    const domainIds = [first!.id, second!.id] as const
    await insertBacklog(node.ctx.store.db, { organizationId, domainIds, count, now: clock.now() })
  })
  afterEach(() => node.close())

  const rowsIn = async (table: keyof Database): Promise<number> => {
    const counting = sql<{ rows: number | string }>`select count(*) as rows from ${sql.table(table)}`
    return Number((await counting.execute(node.ctx.store.db)).rows[0]?.rows)
  }

  it('changes at most 500 rows per transaction, and leaves no expired row', async () => {
    const transactions = watchTransactions(node)

    await sweep(node.ctx)
    await pruneAudit(node.ctx, clock.now() - year)

    const touched = transactions.rows()
    expect(touched.filter((rows) => rows > 500)).toEqual([])
    // Proves that the rule was tested: the backlog was deleted, in steps of that size.
    expect(touched.filter((rows) => rows === 500).length).toBeGreaterThan(emptied.length)
    expect(await Promise.all(emptied.map(rowsIn))).toEqual(emptied.map(() => 0))
    const { db } = node.ctx.store
    const pending = db.selectFrom('session').select('id').where('state', '=', 'pending')
    const old = db
      .selectFrom('audit')
      .select('position')
      .where('at', '<', clock.now() - year)
    const codes = db.selectFrom('token').select('id').where('codeLookup', 'is not', null)
    const replacements = db.selectFrom('token').select('id').where('replacementLookup', 'is not', null)
    const left = [pending, old, codes, replacements].map((query) => query.execute())
    expect(await Promise.all(left)).toEqual([[], [], [], []])
  })

  it('yields to the event loop after each step', async () => {
    let turns = 0
    const turn = () => {
      turns += 1
      next = setImmediate(turn)
    }
    let next = setImmediate(turn)
    const transactions = watchTransactions(node, () => turns)

    await sweep(node.ctx)
    clearImmediate(next)

    const turnsOfSteps = transactions.turns()
    expect(turnsOfSteps.length).toBeGreaterThan(emptied.length * 2)
    expect(new Set(turnsOfSteps).size).toBe(turnsOfSteps.length)
  })

  it('stops early when the service closes, and leaves the rest to the next sweep', async () => {
    await sweep(node.ctx, AbortSignal.abort())

    expect(await Promise.all(emptied.map(rowsIn))).toEqual(emptied.map((table) => (table === 'bypassCode' ? 200 : 100)))
  })

  it('does not wait for rows that another transaction is changing on PostgreSQL', async () => {
    const other = await openDatabase(database, { clock, push: false, ...keysFor(database) })
    onTestFinished(() => other.close())
    const holding = other.ctx.store.db.transaction().execute(async (db) => {
      const held = await db.selectFrom('emailCode').select('userId').limit(1).executeTakeFirstOrThrow()
      await db.updateTable('emailCode').set({ wrongTries: 1 }).where('userId', '=', held.userId).execute()
      // On SQLite a writer locks the whole database.
      if (engine === 'PostgreSQL') await sweep(node.ctx)
    })

    await holding

    expect(await rowsIn('emailCode')).toBe(engine === 'PostgreSQL' ? 1 : count)
  })

  it('relies on no foreign key that removes rows of another table', async () => {
    expect(await deletingKeys(node, engine)).toEqual([])
  })
})

/** Records how many rows each transaction changes from now on, and in which turn of the event loop. */
function watchTransactions(node: OpenedService, turn: () => number = () => 0) {
  const base = Object.getPrototypeOf(DefaultQueryExecutor.prototype) as QueryExecutor
  const original: (...given: Parameters<QueryExecutor['executeQuery']>) => Promise<QueryResult<unknown>> = Reflect.get(
    base,
    'executeQuery',
  )
  const alone: { readonly rows: number; readonly turn: number }[] = []
  const together = new Map<QueryExecutor, number>()
  const watch = vi.spyOn(base, 'executeQuery').mockImplementation(async function (this: QueryExecutor, ...given) {
    const result = await original.apply(this, given)
    // Statements with RETURNING do not report the number of changed rows.
    const changed = /^(insert|update|delete)/.test(given[0].sql) ? result.rows.length : 0
    const rows = Number(result.numAffectedRows ?? 0) || changed
    // Each transaction has an executor of its own.
    if (this === node.ctx.store.db.getExecutor()) alone.push({ rows, turn: turn() })
    else together.set(this, (together.get(this) ?? 0) + rows)
    return result
  })
  onTestFinished(() => watch.mockRestore())
  const steps = () => alone.filter(({ rows }) => rows > 0)
  return {
    rows: (): number[] => [...steps().map(({ rows }) => rows), ...together.values()],
    /** The event loop turn in which each single-statement step ended. */
    turns: (): number[] => steps().map((step) => step.turn),
  }
}

async function deletingKeys(node: OpenedService, engine: (typeof engines)[number]): Promise<unknown[]> {
  const query =
    engine === 'SQLite'
      ? sql`select tables.name, keys."from" from sqlite_master as tables, pragma_foreign_key_list(tables.name) as keys
          where keys.on_delete not in ('NO ACTION', 'RESTRICT')`
      : sql`select conname from pg_constraint where contype = 'f' and confdeltype not in ('a', 'r')`
  return (await query.execute(node.ctx.store.db)).rows
}
