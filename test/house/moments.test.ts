import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'

import { filesBelow } from '../../scripts/fingerprint.ts'
import { root } from '../../scripts/run.ts'
import { openSqliteStore } from '../../src/service/engine/database/sqlite.ts'
import { resetUser } from '../../src/service/features/people/reset.ts'
import { sentFactors } from '../../src/contract/factor-descriptions.ts'
import { changeOf } from '../../src/service/features/users/reach.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { openService } from '../../src/service/service.ts'
import { furnishManyUsers, insertDomain, insertManyUsers } from '../support/many-users.ts'

const service = join(root, 'src/service')
const read = (path: string) => readFileSync(join(service, path), 'utf8')

/** Tables whose expiry may be far in the future after a clock was set back, and why. */
const keptByCorrections: Readonly<Record<string, string>> = {
  bulkItem: 'it ends with its job, and none is done twice',
  bulkJob: 'its people are checked again before each of them',
  deviceCall: 'a call that is remembered for longer is refused for longer',
  deviceMove: 'no move counts that ends later than one that began now',
  oidcPing: 'nothing is told after the request that it is about has expired',
}

/** Tables whose rows a restored backup may bring back, and why. */
const keptByRestore: Readonly<Record<string, string>> = {
  bulkItem: 'its job is stopped',
  challengeTry: 'tries that were counted still count',
  deviceCall: 'a call that was sent stays refused',
  knownBrowser: 'all epochs change, and with them which browsers are known',
  mailReport: 'a link by which a person can still report a change opens nothing',
  oidcArtifact: 'all of them end with the epochs',
  oidcPing: 'the request that it is about has ended',
  rememberedAnswer: 'what it answers is in the backup, too',
}

/** Lookups of secrets that a rotation of keys does not count, and why. */
const notCounted: Readonly<Record<string, string>> = {
  'deviceMove.codeLookup': 'it ends after minutes, and the person asks for another one',
}

/** Tables in which a user who was reset still has rows, and why. Whatever a user passes the second step with is gone. */
const keptByReset: Readonly<Record<string, string>> = {
  approver: 'what was approved stays approved',
  device: 'it is revoked',
  epochChange: 'it says which web sessions have ended',
  membership: 'the person stays in the domain',
  requesterBlock: 'the person did not want these requests',
  session: 'it is settled',
}

/** Tables about users that have no row of an ordinary one, and why. */
const notFurnished: Readonly<Record<string, string>> = {
  administrator: 'which user an administrator is',
  administratorInvitation: 'which user an administrator will be',
  administratorNamesake: 'who is not that user',
  bulkItem: 'what a bulk job did',
  callerVerification: 'a question on the device, which is revoked',
  consent: 'what an administrator wants to do with the user',
  epochChange: 'which web sessions have ended',
  mailReport: 'a link by which a change can be reported',
  synchronizedUser: 'a synchronization that is under way',
}

describe('what happens to all tables at once', () => {
  let columns: { table: string; column: string }[]
  beforeAll(async () => {
    const store = await openSqliteStore(':memory:')
    const { rows } = await sql<{
      table: string
      column: string
    }>`select tables.name as "table", columns.name as "column"
      from sqlite_master as tables, pragma_table_info(tables.name) as columns where tables.type = 'table'`.execute(
      store.db,
    )
    columns = rows.map(({ table, column }) => ({ table: camelCase(table), column: camelCase(column) }))
    await store.close()
  })

  const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

  const tablesWith = (column: string) => columns.filter((each) => each.column === column).map(({ table }) => table)

  /** The tables that calls of these names have as their first argument. */
  const tablesOf = (names: readonly string[], text: string) =>
    Array.from(text.matchAll(new RegExp(String.raw`\b(?:${names.join('|')})\(\s*'(\w+)'`, 'g')), ([, table]) => table)

  /** Those whose rows expire, without the given ones. */
  const otherExpiring = (tables: readonly (string | undefined)[]) =>
    tablesWith('expiresAt')
      .filter((table) => !tables.includes(table))
      .toSorted()

  it('each table whose rows expire is swept', async () => {
    const files = (await filesBelow(join(service, 'features'))).filter((path) => path.endsWith('feature.ts'))
    const engine = (await filesBelow(join(service, 'engine'))).filter((path) => path.endsWith('.ts'))
    const removals = [...files, ...engine, join(service, 'features.ts')].flatMap((path) =>
      tablesOf(['removal'], readFileSync(path, 'utf8')),
    )

    expect(otherExpiring(removals)).toEqual([])
  })

  it('each table whose rows expire is corrected after a clock was set back, or says why not', () => {
    const text = read('upkeep/future-time-statements.ts')

    const corrected = tablesOf(['toPresent', 'changedRows', 'removedRows'], text)

    expect(otherExpiring(corrected)).toEqual(Object.keys(keptByCorrections))
  })

  it('each time of a user that begins a wait is corrected after a clock was set back', () => {
    const text = read('upkeep/future-time-statements.ts')

    const begins = columns.filter(({ column }) => /(Changed|Locked)At$/.test(column))

    expect(begins.length).toBeGreaterThan(2)
    const ofPlaces = text.includes("toPresent('user', changeOf(") ? sentFactors.map(changeOf) : []
    const isCorrected = ({ table, column }: { table: string; column: string }) =>
      text.includes(`toPresent('${table}', '${column}'`) || ofPlaces.some((change) => change === column)
    expect(begins.filter((each) => !isCorrected(each))).toEqual([])
  })

  it('each table whose rows expire ends with a restored backup, or says why not', () => {
    const ended = tablesOf(['deleteFrom', 'updateTable'], read('upkeep/restored-statements.ts'))

    expect(otherExpiring(ended)).toEqual(Object.keys(keptByRestore))
  })

  it('each lookup of a secret counts in a rotation of keys, or says why not', () => {
    const text = read('engine/secrets/sealed-values.ts')
    const isCounted = ({ table, column }: { table: string; column: string }) =>
      new RegExp(String.raw`table: '${table}'.*lookup: `).test(text) ||
      text.includes(`sql.table('${table}'), column: sql.ref('${column}')`)

    const missing = columns.filter(({ column }) => column.endsWith('Lookup')).filter((each) => !isCounted(each))

    expect(missing.map(({ table, column }) => `${table}.${column}`)).toEqual(Object.keys(notCounted))
  })

  it('a user who is reset has no row in a table about users, or the table says why', async () => {
    const { ctx, close } = await openService(ServiceOptions.parse({ database: ':memory:' }))
    const { db } = ctx.store
    const { organizationId, domainId } = await insertDomain(db)
    await insertManyUsers(db, { organizationId, domainId, count: 2 })
    await furnishManyUsers(db, { organizationId, domainId })
    const [user] = await db.selectFrom('user').select('id').orderBy('sequence', 'desc').limit(1).execute()
    const userId = user!.id
    const tables = tablesWith('userId').toSorted()
    const filled = async () => {
      const counts = await Promise.all(
        tables.map((table) => sql`select 1 from ${sql.table(table)} where user_id = ${userId}`.execute(db)),
      )
      return tables.filter((_, index) => counts[index]!.rows.length > 0)
    }
    const before = await filled()

    await resetUser(ctx, { organizationId, userId })
    const after = await filled()
    await close()

    expect(tables.filter((table) => !before.includes(table))).toEqual(Object.keys(notFurnished))
    expect(after).toEqual(Object.keys(keptByReset))
  })
})
