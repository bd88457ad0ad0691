/**
 * Preloaded into a process whose SQLite is to have a slow disk: each COMMIT that has changed something takes longer by the
 * milliseconds in `SLOW_COMMIT`. The process waits for them as it waits for the disk, so nothing else runs meanwhile.
 */
import BetterSqlite3 from 'better-sqlite3'

const milliseconds = Number(process.env['SLOW_COMMIT'])
const { prototype } = BetterSqlite3
const { prepare } = prototype // oxlint-disable-line typescript/unbound-method -- called with the database as `this` below
const never = new Int32Array(new SharedArrayBuffer(4))

prototype.prepare = function (this: BetterSqlite3.Database, sql: string) {
  const statement = prepare.call(this, sql)
  if (sql !== 'commit') return statement
  const changes = (prepare.call(this, 'select total_changes()') as BetterSqlite3.Statement<[], number>).pluck()
  const commit = statement.run.bind(statement)
  let previousChanges = changes.get()
  statement.run = () => {
    const result = commit([])
    const total = changes.get()
    if (total !== previousChanges) Atomics.wait(never, 0, 0, milliseconds)
    previousChanges = total
    return result
  }
  return statement
} as typeof prototype.prepare
