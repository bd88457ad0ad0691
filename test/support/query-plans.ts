import type Sqlite from 'better-sqlite3'
import type { CompiledQuery } from 'kysely'
import type { Client } from 'pg'

/** How a plan reaches the rows of a table. */
export interface Access {
  readonly table: string
  /** Columns that the index is entered by; none where all rows are read. */
  readonly columns: readonly string[]
  /** As the database says it. */
  readonly detail: string
}

/** By `EXPLAIN QUERY PLAN`. Parameters without values do: the planner of a database without ANALYZE looks at indexes alone. */
export function sqlitePlan(db: Sqlite.Database, sql: string): Access[] {
  const parameters = Array.from(sql.matchAll(/\?/g), () => null)
  const rows = db.prepare<null[], { detail: string }>(`explain query plan ${sql}`).all(...parameters)
  const tables = new Map(Array.from(sql.matchAll(/"(\w+)" as "(\w+)"/g), ([, table, alias]) => [alias, table]))
  return rows.flatMap(({ detail }) => {
    const [, scanKind, name = '', condition = ''] =
      /^(SCAN|SEARCH) (\w+)(?: USING .*?(?:\((.*)\))?)?(?: LEFT-JOIN)?$/.exec(detail) ?? []
    if (scanKind === undefined) return []
    // An automatic index is made for this one statement, out of all rows.
    const entered = scanKind === 'SEARCH' && !detail.includes('AUTOMATIC')
    const columns = entered ? Array.from(condition.matchAll(/(\w+)[=<>]/g), ([, column = '']) => column) : []
    return [{ table: tables.get(name) ?? name, columns, detail }]
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
export async function postgresPlan(
  client: Client,
  { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
): Promise<Access[]> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (generic_plan, format json) ${withNumbersAndWords(sql, parameters)}`,
  )
  const tables = await tablesOfIndexes(client)
  const accesses: Access[] = []
  const visit = (node: PlanNode): void => {
    const index = node['Index Name']
    const condition = node['Index Cond'] ?? ''
    const table = index === undefined ? node['Relation Name'] : tables.get(index)
    const detail = [node['Node Type'], table, index, condition, node.Disabled ? 'Disabled' : '']
      .filter(Boolean)
      .join(' ')
    const columns = Array.from(
      condition.matchAll(/\(+"?(\w+)"?\)?(?:::\w+)? (?:=|<|>|<=|>=|~~) /g),
      ([, column = '']) => column,
    )
    if (index !== undefined || node['Node Type'] === 'Seq Scan') {
      accesses.push({ table: table ?? '', columns: node.Disabled ? [] : columns, detail })
    }
    node.Plans?.forEach(visit)
  }
  visit(rows[0]!['QUERY PLAN'][0].Plan)
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
