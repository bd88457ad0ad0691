import Database from 'better-sqlite3'
import session from 'express-session'

/** Web sessions in a file: they survive a restart of the process. */
export class SqliteSessions extends session.Store {
  constructor(file) {
    super()
    const db = new Database(file)
    db.pragma('journal_mode = WAL')
    db.exec('create table if not exists session (id text primary key, ends integer not null, content text not null)')
    this.read = db.prepare('select content from session where id = ? and ends > ?')
    this.write = db.prepare('insert or replace into session (id, ends, content) values (?, ?, ?)')
    this.move = db.prepare('update session set ends = ? where id = ?')
    this.remove = db.prepare('delete from session where id = ?')
    this.sweep = db.prepare('delete from session where ends <= ?')
  }

  get(id, done) {
    this.run(done, () => {
      const row = this.read.get(id, Date.now())
      return row && JSON.parse(row.content)
    })
  }

  set(id, content, done) {
    this.run(done, () => {
      this.sweep.run(Date.now())
      this.write.run(id, endOf(content), JSON.stringify(content))
    })
  }

  /** Moves the end of a session that was read and not changed: it lasts as long as its person is there. */
  touch(id, content, done) {
    this.run(done, () => void this.move.run(endOf(content), id))
  }

  destroy(id, done) {
    this.run(done, () => void this.remove.run(id))
  }

  /** @param done Gets an error, or what the work returns. */
  run(done, work) {
    let result
    try {
      result = work()
    } catch (error) {
      return void done?.(error)
    }
    done?.(null, result)
  }
}

/** Unix time, milliseconds. A cookie that ends with the browser has a day. */
const endOf = ({ cookie }) => Date.now() + (cookie.originalMaxAge ?? 86_400_000)
