import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Sqlite from 'better-sqlite3'
import { PostgresQueryCompiler, sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { root } from '../../../../scripts/run.ts'
import { PeopleFilter } from '../../../../src/admin-contract/people.ts'
import { StockFilter } from '../../../../src/admin-contract/stock.ts'
import type { Store } from '../../../../src/service/engine/database/store.ts'
import { furnishManyUsers, insertDomain, insertManyUsers } from '../../../support/many-users.ts'
import { openPostgres } from '../../../support/postgres.ts'
import type { Postgres } from '../../../support/postgres.ts'
import { postgresPlan, postgresSorts, sqlitePlan, sqliteSorts } from '../../../support/query-plans.ts'
import type { Access } from '../../../support/query-plans.ts'
import type { RecordedStatement } from '../../../support/recorded-statements.ts'
import { drivers } from './drivers.ts'

// Statements are recorded when they are compiled, which happens once in a process: those of other files must not count.
vi.resetModules()
const { ServiceOptions } = await import('../../../../src/service/options.ts')
const { openService } = await import('../../../../src/service/service.ts')
const { sweepStep } = await import('../../../../src/service/engine/database/due.ts')
const { openPostgresStore } = await import('../../../../src/service/engine/database/postgres.ts')
const { openSqliteStore } = await import('../../../../src/service/engine/database/sqlite.ts')
const { compiledStatement, statementNames } = await import('../../../../src/service/engine/database/statement.ts')
const { recordStatements } = await import('../../../support/recorded-statements.ts')
const { keysFor } = await import('../../start-service.ts')
const { driveTheRest } = await import('./drive-the-rest.ts')

/** Tables that grow with the number of users, sign-ins or audit entries. */
const growing = [
  'user',
  'membership',
  'token',
  'device',
  'session',
  'code_generator',
  'hardware_token',
  'bypass_code',
  'email_code',
  'device_call',
  'device_history',
  'device_notice',
  'attempt',
  'tally',
  'challenge_try',
  'known_browser',
  'passkey',
  'passkey_ceremony',
  'last_sign_in',
  'person_order',
  'synchronized_user',
  'audit',
  'timeline_entry',
  'search_row',
  'approval',
  'approver',
  'requester_block',
  'oidc_artifact',
  'oidc_ping',
]

/** An index search by only these columns finds every row of an organization or a domain. */
const wide = ['organization_id', 'domain_id', 'state']

/**
 * By a time alone, a step of a sweep finds the few rows that it takes; another statement reads all that is younger, or
 * older. PostgreSQL knows from its statistics how many those are.
 */
const times = ['at', 'created_at', 'expires_at', 'revoked_at', 'settled_at']

const page = 'a page of a list, in its order: an offset passes over all that comes before'
const people = 'a page of people in the console, which a filter may leave few of'
const commandLine = 'a command that an administrator types; no request executes it'
const allPending = 'counts all that waits, once for everybody'
const lately = 'what happened since a moment ago, once for everybody'
const rotation = 'counts everything sealed, once when the first keys are given and around a rotation of keys'

const peopleOrders = ['name up', 'name down', 'signedIn up', 'signedIn down']
const peoplePages = ['list', 'broad'].flatMap((kind) =>
  ['none', ...PeopleFilter.options].flatMap((filter) => [
    `people count ${kind} ${filter}`,
    ...peopleOrders
      // An index has the inactive ones by their last sign-in.
      .filter((order) => filter !== 'inactive' || order.startsWith('name'))
      .map((order) => `people ${kind} ${filter} ${order}`),
  ]),
)

/** The index of those without a factor has the order of the last sign-ins. */
const withoutFactor = ['list', 'broad'].flatMap((kind) =>
  ['no_factor', 'only_email'].flatMap((filter) =>
    ['up', 'down'].map((direction) => `people ${kind} ${filter} of all signedIn ${direction}`),
  ),
)

const stockPages = ['list', 'found', 'broad'].flatMap((kind) =>
  ['none', ...StockFilter.options].flatMap((filter) => [`stock ${kind} ${filter}`, `stock count ${kind} ${filter}`]),
)

/** Functions of the store whose statements may read a whole table or a whole domain, and why. */
const exceptions: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...peoplePages, ...withoutFactor].map((name) => [name, people])),
  'people filtered no_factor': 'up to 2,000 of the people without a factor, whom an index names',
  positionsByPattern: 'words of one or two characters, which are in no index',
  ...Object.fromEntries(stockPages.map((name) => [name, page])),
  'features/hardware/statements.ts hardwareTokensNamed': commandLine,
  'engine/audit/statements.ts newestAuditRows': commandLine,
  countSeeds: commandLine,
  countFreeTokens: commandLine,
  countDevices: commandLine,
  countPasskeys: commandLine,
  'engine/audit/statements.ts auditSpan':
    'the first and the last entry: SQLite calls ORDER BY position LIMIT 1 a scan, too',
  newestNotice: 'the newest entry, which PostgreSQL reads first from the end of the primary key',
  'engine/secrets/sealed-values.ts countSealed': rotation,
  endAllArtifacts: 'ends what everybody has at the OpenID provider, after a backup was restored',
  setAllEpochs: 'ends the sessions of everybody, after a backup was restored',
  pendingCount: allPending,
  approvalMarks: allPending,
  approvalsWithoutSome: allPending,
  pendingApprovals: allPending,
  settledApprovals: lately,
  expiredBetween: lately,
  settledSince: lately,
  pendingByDomain: allPending,
  reportedByDomain: 'the few requests that were reported in a day: an index has only these',
  reportedCount: 'the few requests that were reported within ten minutes',
  countMembers: 'a step of 2,000 members, which is as many as the tables have here',
  devicesRevokedSince: lately,
  'features/domains/statements.ts updateDomain':
    'looks for one active token of the domain when an administrator changes its key type',
}

/** The lists of the REST interface, which have pages by number. */
const pagedLists = ['listUsers', 'listMembers', 'listHardwareTokens']

/** Statements that may sort more than a page, and why. */
const sorting: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['list', 'found', 'broad'].map((kind) => [
      `stock ${kind} out_of_sync`,
      'an index has only the few hardware tokens that are out of sync',
    ]),
  ),
  'features/hardware/statements.ts hardwareTokensNamed': 'the few hardware tokens of one name',
}

/** A range of a key that only grows is as long as the list. */
const withoutRangeOfKey = ({ columns, equal, ...access }: Access): Access => {
  const selective = columns.filter((column) => equal.includes(column) || !/(sequence|position|rowid)$/.test(column))
  return { ...access, columns: selective, equal }
}

/** Files of the store that only commands use, on a database that no other process has open. */
const commandFiles = ['upkeep/restored-statements.ts', 'upkeep/move.ts', 'upkeep/move-tables.ts']

/** The number of places in a file whose statements are not executed here, and why. */
const undriven: Readonly<Record<string, number>> = {
  // Runs once in the life of a database, when it gets its first keys.
  'engine/secrets/sealed-values.ts': 1,
}

// One of the tests advances the clock by a month, sweep after sweep.
vi.setConfig({ testTimeout: 60_000 })

const { statements, executedPlaces, stop } = recordStatements()

// The tests of all operations, audited events and error codes run here, because they execute every statement.
for (const file of drivers) {
  // oxlint-disable-next-line vitest/valid-title -- titles are files here
  describe(file, async () => void (await import(`${join(root, 'test/service', file)}?driven`)))
}

describe('the statements that those tests do not execute', () => {
  driveTheRest()
})

// Needs the tests above, which record the statements: it fails where they are filtered out.
describe('every statement that the service executes', () => {
  let folder: string
  let sqlite: Sqlite.Database
  let postgres: Postgres
  let client: Client
  let store: Store
  // Planned once for the tests that read them.
  let onSqlite: Walk[] | undefined
  let onPostgres: Promise<Walk[]> | undefined

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-plans-'))
    await (await openSqliteStore(join(folder, 'mfa.sqlite'))).close()
    sqlite = new Sqlite(join(folder, 'mfa.sqlite'))
    postgres = await openPostgres()
    // Like that of SQLite, with the schema of this moment: the other databases of the tests are copies of an earlier one.
    const database = await postgres.createEmptyDatabase()
    await fill(database)
    store = await openPostgresStore(database)
    client = new Client(database)
    await client.connect()
    await client.query('set enable_seqscan = off')
  })
  afterAll(async () => {
    stop()
    sqlite.close()
    await client.end()
    await store.close()
    await postgres.stop()
    rmSync(folder, { recursive: true })
  })

  it('every statement is recorded by the plan tests, wherever the store executes it', () => {
    const files = storeFiles()

    const missing = files.filter(({ file, count }) => executedPlaces(file) + (undriven[file] ?? 0) !== count)

    expect(missing.map(({ file, count }) => `${file}: ${executedPlaces(file)} of ${count}`)).toEqual([])
  })

  it('every declared statement is executed by the plan tests', () => {
    const missing = statementNames().filter((name) => !statements.has(name))

    expect(missing).toEqual([])
  })

  it('every statement has a name that belongs to its text, and that PostgreSQL does not cut off', () => {
    const names = statementNames().map((name) => compiledStatement(store.db, name)) as unknown as { name: string }[]

    expect(new Set(names.map(({ name }) => name)).size).toBe(statementNames().length)
    for (const { name } of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63)
  })

  it('every statement reaches growing tables through an index on SQLite', () => {
    onSqlite ??= walksOnSqlite()

    expect(withoutExceptions(onSqlite)).toEqual([])
  })

  it('every statement reaches growing tables through an index on PostgreSQL', async () => {
    onPostgres ??= walksOnPostgres()

    expect(withoutExceptions(await onPostgres)).toEqual([])
  })

  it('a page of a list skips the rows before it in an index alone, on both databases', async () => {
    const plans = pagedLists.map(async (name) => {
      const [statement] = ofTheStore().filter(({ origins }) => origins.has(name))
      const compiled = compiledStatement(store.db, name)
      const plan = [...sqlitePlan(sqlite, statement?.sql ?? ''), ...(await postgresPlan(client, compiled))]
      return plan.filter(({ columns }) => columns.some((column) => wide.includes(column))).map(({ detail }) => detail)
    })

    for (const skipped of await Promise.all(plans))
      expect(skipped).toEqual([
        expect.stringMatching(/USING COVERING INDEX/),
        expect.stringMatching(/^Index Only Scan/),
      ])
  })

  it('no statement sorts more rows than a page has, or one user', async () => {
    const sorts: Walk[] = []
    for (const statement of ofTheStore()) {
      const query = compiledOnPostgres(statement)
      const sorted = [...sqliteSorts(sqlite, statement.sql), ...(await postgresSorts(client, query))]
      sorts.push(...walksIn(statement, sorted.map(withoutRangeOfKey)))
    }

    expect(sorts.filter(({ origins }) => !origins.some((name) => name in sorting))).toEqual([])
  })

  it('each exception of the plan tests is needed by a statement', async () => {
    const walks = [...(onSqlite ??= walksOnSqlite()), ...(await (onPostgres ??= walksOnPostgres()))]

    const needed = Object.keys(exceptions).filter((name) => walks.some(({ origins }) => origins.includes(name)))

    expect(needed).toEqual(Object.keys(exceptions))
  })

  const walksOnSqlite = () =>
    ofTheStore().flatMap((statement) => {
      const isStep = /\blimit\b/.test(statement.sql)
      return walksIn(statement, sqlitePlan(sqlite, statement.sql), isStep ? wide : [...wide, ...times])
    })

  async function walksOnPostgres(): Promise<Walk[]> {
    const walks: Walk[] = []
    for (const statement of ofTheStore()) {
      const compiled = compiledOnPostgres(statement)
      const parameters = compiled.parameters.map((value) => (value === sweepStep ? fewRows : value))
      walks.push(...walksIn(statement, await postgresPlan(client, { ...compiled, parameters })))
      // A declared statement is prepared: after five executions PostgreSQL may plan it once for all values.
      if (statement.name === undefined) continue
      walks.push(...walksIn(statement, await postgresPlan(client, { ...compiled, parameters: [] })))
    }
    return walks
  }

  const compiledOnPostgres = ({ name, node }: RecordedStatement) =>
    name === undefined
      ? new PostgresQueryCompiler().compileQuery(node, { queryId: 'plan' })
      : compiledStatement(store.db, name)
})

/** A sweep step of this size among the 2,000 rows of each table here is like a real one among 200,000. */
const fewRows = 5

/** A statement that visits more rows of a growing table than it looks for. */
interface Walk {
  readonly origins: readonly string[]
  readonly detail: string
  readonly sql: string
}

/** Without what migrations do: they read tables of earlier versions, once. */
const ofTheStore = () =>
  [...statements.values()].filter(
    ({ origins, sql: text }) => [...origins].some((name) => !engineFiles.test(name)) && isQuery(text),
  )

const isQuery = (text: string) =>
  /^(select|insert|update|delete|with)\b/i.test(text) && !/sqlite_master|kysely_/.test(text)

/** @param leading Columns that are not selective enough on their own. */
function walksIn(
  { origins, sql: text }: RecordedStatement,
  plan: readonly Access[],
  leading: readonly string[] = wide,
): Walk[] {
  return plan
    .filter(({ table, columns }) => growing.includes(table) && columns.every((column) => leading.includes(column)))
    .map(({ detail }) => ({ origins: [...origins], detail, sql: text }))
}

const withoutExceptions = (walks: readonly Walk[]) =>
  walks.filter(({ origins }) => !origins.some((name) => name in exceptions || commandFiles.includes(fileOf(name))))

const fileOf = (name: string): string => name.split(' ')[0] ?? ''

/** Counts the places where each file of the service executes a statement. */
function storeFiles(): { file: string; count: number }[] {
  const folder = join(root, 'src/service')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
  const known = files.filter((name) => name.endsWith('.ts') && !engineFiles.test(name) && !commandFiles.includes(name))
  return known.map((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    // What a transaction executes is a function.
    return { file, count: text.match(/\.execute(TakeFirst(OrThrow)?|Change)?\((db)?\)/g)?.length ?? 0 }
  })
}

/** These files open, migrate and wait; their statements read none of our present tables. */
const engineFiles = /^engine\/database\/(schema\/|sqlite|postgres|transaction-ends|write-health)/

/** Inserts enough rows for PostgreSQL to choose the same indexes as it would with many users. */
async function fill(database: string): Promise<void> {
  const { ctx, close } = await openService(ServiceOptions.parse({ database, ...keysFor(database) }))
  const { db } = ctx.store
  const { organizationId, domainId } = await insertDomain(db)
  await insertManyUsers(db, { organizationId, domainId, count: 2_000 })
  await furnishManyUsers(db, { organizationId, domainId })
  // As the database does by itself: without it, it does not know which pages an index can answer alone.
  await sql`vacuum analyze`.execute(db)
  await close()
}
