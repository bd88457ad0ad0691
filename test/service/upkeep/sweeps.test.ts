import { DefaultConnectionProvider, sql } from 'kysely'
import type { CompiledQuery, ConnectionProvider, DatabaseConnection } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { pruneAudit } from '../../../src/service/engine/audit/retention.ts'
import { createAdministration } from '../../../src/service/administration.ts'
import type { OpenedService } from '../../../src/service/service.ts'
import type { Database } from '../../../src/service/engine/database/schema/schema.ts'
import { sweep } from '../../../src/service/upkeep/sweep.ts'
import { createTestClock } from '../../../src/testing/clock.ts'
import { insertBacklog } from '../../support/backlog.ts'
import { type engines, mainEngines, useEngine } from '../../support/engines.ts'
import { openDatabase } from '../engine/audit/recorded.ts'
import { keysFor } from '../start-service.ts'

/** Rows of each kind: more than one step may change, and fewer than two. */
const count = 600
const year = 365 * 86_400

/** Tables that a sweep empties, because all of their rows have expired. */
const emptied = [
  'bypassCode',
  'emailCode',
  'passkeyCeremony',
  'administratorSession',
  'administratorCeremony',
  'administratorInvitation',
  'consent',
  'challengeTry',
  'knownBrowser',
  'deviceHistory',
  'deviceNotice',
  'callerVerification',
  'deviceCall',
  'deviceMove',
  'attempt',
  'tally',
  'signInDay',
  'device',
] as const satisfies readonly (keyof Database)[]

describe.each(mainEngines)('a sweep with a backlog on %s', { timeout: 60_000 }, (engine) => {
  const newDatabase = useEngine(engine)
  const clock = createTestClock()
  let node: OpenedService
  let database: string

  beforeEach(async () => {
    database = await newDatabase()
    node = await openDatabase(database, { clock, push: false, ...keysFor(database) })
  })
  afterEach(() => node.close())

  async function leaveBacklog(): Promise<void> {
    const { id: organizationId } = await createAdministration(node.ctx).createOrganization('Organization')
    const [first, second] = await Promise.all(
      ['First', 'Second'].map((name) => createAdministration(node.ctx).createDomain(organizationId, { name })),
    )
    const domainIds = [first!.id, second!.id] as const
    await insertBacklog(node.ctx.store.db, { organizationId, domainIds, count, now: clock.now() })
  }

  const rowsIn = async (table: keyof Database): Promise<number> => {
    const counting = sql<{ rows: number | string }>`select count(*) as rows from ${sql.table(table)}`
    return Number((await counting.execute(node.ctx.store.db)).rows[0]?.rows)
  }

  it('a sweep changes at most 500 rows per transaction, and leaves no expired row', async () => {
    await leaveBacklog()
    const transactions = watchTransactions()

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
    const remaining = [pending, old, codes, replacements].map((query) => query.execute())
    expect(await Promise.all(remaining)).toEqual([[], [], [], []])
  })

  it('a sweep relies on no foreign key that removes rows of another table', async () => {
    expect(await deletingKeys(node, engine)).toEqual([])
  })

  it('a sweep does not wait for rows that another transaction is changing on PostgreSQL', async () => {
    await leaveBacklog()
    const other = await openDatabase(database, { clock, push: false, ...keysFor(database) })
    onTestFinished(() => other.close())
    const holding = other.ctx.store.db.transaction().execute(async (db) => {
      const lockedRow = await db.selectFrom('emailCode').select('userId').limit(1).executeTakeFirstOrThrow()
      await db.updateTable('emailCode').set({ wrongTries: 1 }).where('userId', '=', lockedRow.userId).execute()
      // On SQLite a writer locks the whole database.
      if (engine === 'PostgreSQL') await sweep(node.ctx)
    })

    await holding

    expect(await rowsIn('emailCode')).toBe(engine === 'PostgreSQL' ? 1 : count)
  })

  it('a sweep yields to the event loop after each step', async () => {
    await leaveBacklog()
    let turns = 0
    const turn = () => {
      turns += 1
      next = setImmediate(turn)
    }
    let next = setImmediate(turn)
    const transactions = watchTransactions(() => turns)

    await sweep(node.ctx)
    clearImmediate(next)

    const turnsOfSteps = transactions.turns()
    expect(turnsOfSteps.length).toBeGreaterThan(emptied.length * 2)
    expect(new Set(turnsOfSteps).size).toBe(turnsOfSteps.length)
  })

  it('a sweep stops early when the service closes, and leaves the rest to the next sweep', async () => {
    await leaveBacklog()

    await sweep(node.ctx, AbortSignal.abort())

    expect(await Promise.all(emptied.map(rowsIn))).toEqual(emptied.map((table) => (table === 'bypassCode' ? 200 : 100)))
  })
})

/** Records how many rows each transaction changes from now on, and in which turn of the event loop. */
function watchTransactions(turn: () => number = () => 0) {
  const { prototype } = DefaultConnectionProvider
  const provide: ConnectionProvider['provideConnection'] = Reflect.get(prototype, 'provideConnection')
  const units: { rows: number; statements: number; turn: number }[] = []
  const watch = vi.spyOn(prototype, 'provideConnection').mockImplementation(function (
    this: DefaultConnectionProvider,
    use: (connection: DatabaseConnection) => Promise<unknown>,
  ) {
    // Each statement has a connection for itself, or shares one with its transaction.
    return provide.call(this, (connection) => {
      const unit = { rows: 0, statements: 0, turn: 0 }
      units.push(unit)
      const execute = connection.executeQuery.bind(connection)
      connection.executeQuery = async <R>(query: CompiledQuery) => {
        const result = await execute<R>(query)
        // Statements with RETURNING do not report the number of changed rows.
        const changed = /^(insert|update|delete)/.test(query.sql) ? result.rows.length : 0
        unit.rows += Number(result.numAffectedRows ?? 0) || changed
        unit.statements += 1
        unit.turn = turn()
        return result
      }
      return use(connection)
    })
  })
  onTestFinished(() => watch.mockRestore())
  const steps = () => units.filter(({ rows }) => rows > 0)
  return {
    rows: (): number[] => steps().map(({ rows }) => rows),
    /** The event loop turn in which each single-statement step ended. */
    turns: (): number[] =>
      steps()
        .filter(({ statements }) => statements === 1)
        .map((step) => step.turn),
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
