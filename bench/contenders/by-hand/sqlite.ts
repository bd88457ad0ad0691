import BetterSqlite3 from 'better-sqlite3'

import { openSqliteStore } from '../../../src/service/store/sqlite.ts'
import { compiledStatement } from '../../../src/service/store/statement.ts'
import { changed } from './database.ts'
import type { Database, Execute, Row } from './database.ts'

/** Concurrent transactions share a commit, each with a savepoint. */
export async function openSqlite(file: string): Promise<Database> {
  const store = await openSqliteStore(file)
  const [writer, reader] = [open(file), open(file)]
  const begin = writer.prepare('begin immediate')
  const savepoint = writer.prepare('savepoint unit')
  const release = writer.prepare('release unit')
  const commit = writer.prepare('commit')
  let group: PromiseWithResolvers<void> | undefined
  let turn: Promise<unknown> = Promise.resolve()

  function executeOn(connection: BetterSqlite3.Database): Execute {
    const prepared = new Map<string, BetterSqlite3.Statement<unknown[], Row>>()
    return async (name, values) => {
      const statement = prepared.get(name) ?? connection.prepare(compiledStatement(store.db, name).sql)
      prepared.set(name, statement)
      if (statement.reader) return statement.all(values)
      return statement.run(values).changes > 0 ? [changed] : []
    }
  }

  function enterGroup(): Promise<void> {
    if (!group) {
      group = Promise.withResolvers()
      begin.run()
      setImmediate(() => void (turn = turn.then(commitGroup)))
    }
    savepoint.run()
    return group.promise
  }

  function commitGroup(): void {
    commit.run()
    group?.resolve()
    group = undefined
  }

  const execute = executeOn(writer)
  return {
    read: executeOn(reader),
    async transact(work) {
      let committed: Promise<void> | undefined
      const done = turn.then(async () => {
        committed = enterGroup()
        const result = await work(execute)
        release.run()
        return result
      })
      turn = done
      const result = await done
      await committed
      return result
    },
    async close() {
      writer.close()
      reader.close()
      await store.close()
    },
  }
}

function open(file: string): BetterSqlite3.Database {
  const connection = new BetterSqlite3(file)
  connection.pragma('foreign_keys = ON')
  connection.pragma('synchronous = FULL')
  connection.pragma('temp_store = MEMORY')
  connection.pragma('wal_autocheckpoint = 4000')
  return connection
}
