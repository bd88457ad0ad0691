import { createRequire } from 'node:module'

import type BetterSqlite3 from 'better-sqlite3'

const Sqlite = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3

/** A statement that SQLite was given. */
export interface Executed {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

interface Prototype {
  exec(sql: string): unknown
  run(...parameters: readonly unknown[]): unknown
  all(...parameters: readonly unknown[]): unknown
  get(...parameters: readonly unknown[]): unknown
}

/** Runs an act. @returns the statements that SQLite executed meanwhile, in their order. */
export async function executedDuring(act: () => Promise<unknown>): Promise<Executed[]> {
  const executed: Executed[] = []
  const database = new Sqlite(':memory:')
  const restore = [
    ...(['run', 'all', 'get'] as const).map((method) =>
      watch(Object.getPrototypeOf(database.prepare('select 1')) as Prototype, method, (self, parameters) =>
        executed.push({ sql: (self as BetterSqlite3.Statement).source, parameters: parameters.flat() }),
      ),
    ),
    watch(Object.getPrototypeOf(database) as Prototype, 'exec', (_, [text]) =>
      executed.push({ sql: String(text), parameters: [] }),
    ),
  ]
  database.close()
  try {
    await act()
  } finally {
    for (const undo of restore) undo()
  }
  return executed
}

/** Tells of each call of a method. @returns how to stop. */
function watch(
  prototype: Prototype,
  method: keyof Prototype,
  record: (self: unknown, args: readonly unknown[]) => void,
): () => void {
  const original: (...args: never[]) => unknown = prototype[method]
  prototype[method] = function (this: unknown, ...args: unknown[]) {
    record(this, args)
    return Reflect.apply(original, this, args) as unknown
  }
  return () => void (prototype[method] = original)
}
