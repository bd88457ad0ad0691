import { Client } from 'pg'

import { execute } from '../../test/support/postgres.ts'

/** A database that is in use has statistics. The test server gathers none by itself. */
export const analyze = (database: string): Promise<void> => execute(database, 'analyze')

/** The process of the PostgreSQL server behind an address: the first line of its file (its manual, section 66.1). */
export async function postmasterOf(database: string): Promise<number> {
  const client = new Client(database)
  await client.connect()
  const { rows } = await client.query<{ file: string }>(`select pg_read_file('postmaster.pid') as file`)
  await client.end()
  return Number(rows[0]?.file.split('\n')[0])
}
