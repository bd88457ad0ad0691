import type { Compilable, CompiledQuery, QueryResult } from 'kysely'

import type { Queryable } from './schema.ts'

/** A statement with its values, to be executed. */
export interface Prepared<Row> {
  execute(): Promise<Row[]>
  executeTakeFirst(): Promise<Row | undefined>
  /** @returns how many rows it has changed. */
  executeChange(): Promise<number>
}

/**
 * Declares a statement that every sign-in executes. Kysely builds and compiles it once for each database: in each request
 * that takes several times as long as SQLite needs to execute it.
 *
 * @param build is given placeholders instead of values: what is null, or a list of any length, cannot be one.
 */
export function prepare<Values extends Readonly<Record<string, unknown>>, Row>(
  build: (db: Queryable, values: Values) => Compilable<Row>,
): (db: Queryable, values: Values) => Prepared<Row> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>()

  function compile(db: Queryable): CompiledQuery<Row> {
    // A transaction has that of its database.
    const { adapter } = db.getExecutor()
    const known = compiled.get(adapter)
    if (known) return known
    const made = build(db, placeholders as Values).compile()
    compiled.set(adapter, made)
    return made
  }

  return (db, values) => {
    const run = (): Promise<QueryResult<Row>> => {
      const { parameters, ...rest } = compile(db)
      return db.executeQuery<Row>({
        ...rest,
        parameters: parameters.map((value) => (value instanceof Placeholder ? values[value.name] : value)),
      })
    }
    return {
      execute: async () => (await run()).rows,
      executeTakeFirst: async () => (await run()).rows[0],
      executeChange: async () => Number((await run()).numAffectedRows ?? 0),
    }
  }
}

/** Stands where a value will be. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

const placeholders: object = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })
