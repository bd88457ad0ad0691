/** What migrations have made, by name. */
export interface OwnObjects {
  /** Tables and views. */
  readonly owners: ReadonlySet<string>
  /** Indexes, and the constraints that PostgreSQL has an index for. Administrators may have added others. */
  readonly indexes: ReadonlySet<string>
}

const table = /^create (?:virtual )?(?:table|view) "?(\w+)"?/
const dropped = /^drop table (\w+)/
const index = /^create (?:unique )?index "?(\w+)"?/
const uniqueColumn = /^ {4}(?!constraint)(\w+) .*\bunique\b/gm
const uniqueConstraint = /^ {4}constraint (\w+) unique/gm

/** @param statements All statements of the migrations, in their order. */
export function ownObjects(statements: readonly string[]): OwnObjects {
  const owners = new Set<string>()
  const indexes = new Set<string>()
  for (const statement of statements) {
    const owner = table.exec(statement)?.[1]
    if (owner !== undefined) owners.add(owner)
    owners.delete(dropped.exec(statement)?.[1] ?? '')
    for (const name of indexNames(statement, owner)) indexes.add(name)
  }
  return { owners, indexes }
}

function indexNames(statement: string, owner: string | undefined): readonly string[] {
  const name = index.exec(statement)?.[1]
  if (name !== undefined) return [name]
  if (owner === undefined) return []
  // PostgreSQL names the index of a column this way.
  const columns = [...statement.matchAll(uniqueColumn)].map(([, column]) => `${owner}_${column}_key`)
  return [...columns, ...[...statement.matchAll(uniqueConstraint)].map(([, constraint = '']) => constraint)]
}
