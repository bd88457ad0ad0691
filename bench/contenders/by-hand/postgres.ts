import { Pool } from 'pg'
import type { ClientBase } from 'pg'

import { openPostgresStore } from '../../../src/service/engine/database/postgres.ts'
import { compiledStatement } from '../../../src/service/engine/database/statement.ts'
import { changed } from './database.ts'
import type { Database, Execute, Row } from './database.ts'

/** Prepared and pipelined statements on 8 connections. */
export async function openPostgres(address: string): Promise<Database> {
  const store = await openPostgresStore(address)
  const pool = new Pool({ connectionString: address, max: 8, pipeline: true })
  const texts = new Map<string, { readonly name: string; readonly text: string }>()

  function executeOn(client: Pool | ClientBase): Execute {
    return async (name, values) => {
      const prepared = texts.get(name) ?? { name, text: compiledStatement(store.db, name).sql }
      texts.set(name, prepared)
      const { rows, rowCount } = await client.query<Row>({ ...prepared, values: [...values] })
      return rows.length === 0 && rowCount ? [changed] : rows
    }
  }

  return {
    read: executeOn(pool),
    async transact(work) {
      const client = await pool.connect()
      try {
        const execute = executeOn(client)
        const queries: Promise<unknown>[] = [client.query('begin')]
        const result = await work((name, values) => {
          const answer = execute(name, values)
          queries.push(answer)
          return answer
        })
        await Promise.all([...queries, client.query('commit')])
        return result
      } finally {
        client.release()
      }
    },
    async close() {
      await pool.end()
      await store.close()
    },
  }
}
