/** A process that holds the write lock of a SQLite file until its input ends: `node lock-holder.ts FILE`. */
import Sqlite from 'better-sqlite3'

const database = new Sqlite(process.argv[2])
database.exec('BEGIN IMMEDIATE')
process.stdout.write('locked\n')
process.stdin.resume().on('end', () => {
  database.exec('ROLLBACK')
  database.close()
})
