import type Sqlite from 'better-sqlite3'
import type { CompiledQuery } from 'kysely'
import type { Client } from 'pg'

/** How a plan reaches the rows of a table. */
export interface Access {
  readonly table: string
  /** Columns that the index is entered by; none where all rows are read. */
  readonly columns: readonly string[]
  /** Those of them that are compared with one value, or with each of a list. */
  readonly equal: readonly string[]
  /** As the database says it. */
  readonly detail: string
}

/** By `EXPLAIN QUERY PLAN`. Parameters without values do: the planner of a database without ANALYZE looks at indexes alone. */
export const sqlitePlan = (db: Sqlite.Database, sql: string): Access[] => accessesIn(sql, sqliteSteps(db, sql))

/** What SQLite sorts: the tables that are read beside a sort. A subquery beside it has a plan of its own. */
export function sqliteSorts(db: Sqlite.Database, sql: string): Access[] {
  const steps = sqliteSteps(db, sql)
  const sorts = new Set(
    steps.filter(({ detail }) => /TEMP B-TREE FOR .*ORDER BY/.test(detail)).map(({ parent }) => parent),
  )
  const sorted = steps.filter(({ parent }) => sorts.has(parent))
  return accessesIn(sql, sorted)
}

interface SqliteStep {
  readonly parent: number
  readonly detail: string
}

const sqlitePlans = new WeakMap<Sqlite.Database, Map<string, SqliteStep[]>>()

function sqliteSteps(db: Sqlite.Database, sql: string): SqliteStep[] {
  return once(sqlitePlans, db, sql, () => {
    const parameters = Array.from(sql.matchAll(/\?/g), () => null)
    return db.prepare<null[], SqliteStep>(`explain query plan ${sql}`).all(...parameters)
  })
}

/** Plans each statement once for a connection, because several tests read its plan. Their tables stay as they are. */
function once<C extends object, P>(plans: WeakMap<C, Map<string, P>>, connection: C, sql: string, plan: () => P): P {
  const ofConnection = plans.get(connection) ?? new Map<string, P>()
  plans.set(connection, ofConnection)
  const planned = ofConnection.get(sql) ?? plan()
  ofConnection.set(sql, planned)
  return planned
}

function accessesIn(sql: string, steps: readonly SqliteStep[]): Access[] {
  const tables = new Map(Array.from(sql.matchAll(/"(\w+)" as "(\w+)"/g), ([, table, alias]) => [alias, table]))
  return steps.flatMap(({ detail }) => {
    const [, scanKind, name = '', condition = ''] =
      /^(SCAN|SEARCH) (\w+)(?: USING .*?(?:\((.*)\))?)?(?: LEFT-JOIN)?$/.exec(detail) ?? []
    if (scanKind === undefined) return []
    // An automatic index is made for this one statement, out of all rows.
    const entered = scanKind === 'SEARCH' && !detail.includes('AUTOMATIC')
    const columns = entered ? Array.from(condition.matchAll(/(\w+)[=<>]/g), ([, column = '']) => column) : []
    const equal = columns.filter((column) => condition.includes(`${column}=`))
    return [{ table: tables.get(name) ?? name, columns, equal, detail }]
  })
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Disabled?: boolean
  readonly Plans?: readonly PlanNode[]
}

/**
 * By `EXPLAIN` of the plan for any ids, with the numbers and words of a real call. The connection has `enable_seqscan` off: what is still read from end to end
 * has no index, and is marked as disabled.
 */
export async function postgresPlan(client: Client, query: PlannedQuery): Promise<Access[]> {
  return accessesBelow(await topNode(client, query), await tablesOfIndexes(client))
}

type PlannedQuery = Pick<CompiledQuery, 'sql' | 'parameters'>

/** What PostgreSQL sorts: the tables that are read below a sort, but not those of which a limit takes some. */
export async function postgresSorts(client: Client, query: PlannedQuery): Promise<Access[]> {
  const tables = await tablesOfIndexes(client)
  const sorts: PlanNode[] = []
  const visit = (node: PlanNode): void => {
    if (node['Node Type'].endsWith('Sort')) sorts.push(node)
    node.Plans?.forEach(visit)
  }
  visit(await topNode(client, query))
  return sorts.flatMap((sort) => accessesBelow(withoutLimited(sort), tables))
}

const withoutLimited = ({ Plans: plans = [], ...node }: PlanNode): PlanNode => ({
  ...node,
  Plans: plans.filter((plan) => plan['Node Type'] !== 'Limit').map(withoutLimited),
})

const postgresPlans = new WeakMap<Client, Map<string, Promise<PlanNode>>>()

function topNode(client: Client, { sql, parameters }: PlannedQuery): Promise<PlanNode> {
  const text = withNumbersAndWords(sql, parameters)
  return once(postgresPlans, client, text, async () => {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (generic_plan, format json) ${text}`,
    )
    return rows[0]!['QUERY PLAN'][0].Plan
  })
}

function accessesBelow(top: PlanNode, tables: ReadonlyMap<string, string>): Access[] {
  const accesses: Access[] = []
  const visit = (node: PlanNode): void => {
    const index = node['Index Name']
    const condition = node['Index Cond'] ?? ''
    const table = index === undefined ? node['Relation Name'] : tables.get(index)
    const detail = [node['Node Type'], table, index, condition, node.Disabled ? 'Disabled' : '']
      .filter(Boolean)
      .join(' ')
    const comparisons = Array.from(
      condition.matchAll(/\(+"?(\w+)"?\)?(?:::\w+)? (=|<|>|<=|>=|~~) /g),
      ([, column = '', operator]) => ({ column, operator }),
    )
    const columns = comparisons.map(({ column }) => column)
    const equal = comparisons.filter(({ operator }) => operator === '=').map(({ column }) => column)
    if (index !== undefined || node['Node Type'] === 'Seq Scan') {
      accesses.push({ table: table ?? '', columns: node.Disabled ? [] : columns, equal, detail })
    }
    node.Plans?.forEach(visit)
  }
  visit(top)
  return accesses
}

/** A state, a number of rows and a time decide which index is best. An id does not: any is as good as another one. */
function withNumbersAndWords(sql: string, parameters: readonly unknown[]): string {
  let remaining = 0
  return sql.replace(/\$(\d+)/g, (_, index: string) => {
    const value = parameters[Number(index) - 1]
    if (typeof value === 'number') return String(value)
    if (typeof value === 'string' && /^[a-z_]{1,20}$/.test(value)) return `'${value}'`
    remaining += 1
    return `$${remaining}`
  })
}

const indexes = new WeakMap<Client, Promise<Map<string, string>>>()

function tablesOfIndexes(client: Client): Promise<Map<string, string>> {
  const read = async () => {
    const { rows } = await client.query<{ name: string; table: string }>(
      'select indexname as name, tablename as table from pg_indexes',
    )
    return new Map(rows.map(({ name, table }) => [name, table]))
  }
  const current = indexes.get(client) ?? read()
  indexes.set(client, current)
  return current
}
