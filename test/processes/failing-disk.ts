/**
 * Loaded into a service (`--import`) before everything else: makes SQLite itself refuse to write, as it does where a disk
 * is full or was mounted read-only. The file named by FAILING_DISK says what is wrong: `full`, `read-only`, or nothing.
 */
import { readFileSync } from 'node:fs'

import Sqlite from 'better-sqlite3'

const control = process.env.FAILING_DISK ?? ''
// oxlint-disable-next-line typescript/unbound-method -- called with the database below
const { pragma } = Sqlite.prototype
const writers = new Set<Sqlite.Database>()

Sqlite.prototype.pragma = function (this: Sqlite.Database, ...args: Parameters<typeof pragma>) {
  const result: unknown = pragma.apply(this, args)
  // The connection that writes is the one that is set up.
  if (args[0].startsWith('synchronous')) {
    writers.add(this)
    apply(this)
  }
  return result
}

setInterval(() => writers.forEach(apply), 20).unref()

function apply(database: Sqlite.Database): void {
  if (!database.open || database.inTransaction) return
  const state = readFileSync(control, 'utf8')
  // Never below the pages that the file has.
  pragma.call(database, `max_page_count = ${state === 'full' ? 1 : 1_000_000}`)
  pragma.call(database, `query_only = ${state === 'read-only' ? 'ON' : 'OFF'}`)
}
