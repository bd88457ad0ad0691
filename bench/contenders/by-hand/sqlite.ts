import { setImmediate as nextTurn } from 'node:timers/promises'

import BetterSqlite3 from 'better-sqlite3'

import { openSqliteStore } from '../../../src/service/engine/database/sqlite.ts'
import { compiledStatement } from '../../../src/service/engine/database/statement.ts'
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
  let waiting: (() => Promise<void>)[] = []

  function executeOn(connection: BetterSqlite3.Database): Execute {
    const prepared = new Map<string, BetterSqlite3.Statement<unknown[], Row>>()
    return async (name, values) => {
      const statement = prepared.get(name) ?? connection.prepare(compiledStatement(store.db, name).sql)
      prepared.set(name, statement)
      if (statement.reader) return statement.all(values)
      return statement.run(values).changes > 0 ? [changed] : []
    }
  }

  /** Runs those that have come when two turns of the event loop have brought no further one. */
  async function runGroup(): Promise<void> {
    for (let previousLength = 0; waiting.length > previousLength;) {
      previousLength = waiting.length
      await nextTurn()
      await nextTurn()
    }
    const group = waiting
    waiting = []
    begin.run()
    for (const unit of group) {
      savepoint.run()
      await unit()
      release.run()
    }
    commit.run()
  }

  let turn: Promise<void> = Promise.resolve()
  const execute = executeOn(writer)
  return {
    read: executeOn(reader),
    async transact<T>(work: (execute: Execute) => Promise<T>) {
      const { promise, resolve } = Promise.withResolvers<T>()
      const isFirst = waiting.push(async () => resolve(await work(execute))) === 1
      if (isFirst) turn = turn.then(runGroup)
      await turn
      return promise
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
