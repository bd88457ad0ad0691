import { randomBytes } from 'node:crypto'

import { Client } from 'pg'
import { inject } from 'vitest'

import { startServer } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

export interface Postgres {
  /** Creates a database with the present schema. */
  createDatabase(): Promise<string>
  /** Creates a database without any table. */
  createEmptyDatabase(): Promise<string>
  stop(): Promise<void>
}

/** The database on the shared server that has the present schema, and no row. */
export const template = 'template_schema'

/** With a server that no other test file uses, which may be killed. Its databases are empty. */
export type OwnPostgres = Postgres & PostgresServer

/**
 * Databases on the server that all test files share, which starts when the first of them asks. Where nothing is shared,
 * on a server of their own. `stop` removes the databases.
 */
export async function openPostgres(): Promise<Postgres> {
  const shared = inject('sharedPostgres')
  if (shared === undefined) return startPostgres()
  const response = await fetch(shared)
  const text = await response.text()
  if (!response.ok) throw new Error(`PostgreSQL did not start: ${text}`)
  return databasesAt(text, template)
}

/** A real server of one's own, below a second away. Its data does not outlive it, so nothing has to be safe on the disk. */
export async function startPostgres({ fsync = false } = {}): Promise<OwnPostgres> {
  const server = await startServer({ fsync })
  return { ...databasesAt(server.url), ...server }
}

function databasesAt(url: string, model = 'template1'): Postgres {
  const names: string[] = []
  const copyOf = async (source: string) => {
    const name = `test_${randomBytes(8).toString('hex')}`
    // Files are copied in half the time that the log would take.
    await execute(url, `CREATE DATABASE ${name} TEMPLATE ${source} STRATEGY FILE_COPY`)
    names.push(name)
    return new URL(name, url).href
  }
  return {
    createDatabase: () => copyOf(model),
    createEmptyDatabase: () => copyOf('template1'),
    async stop() {
      const drops = names.map((name) => `DROP DATABASE ${name}`)
      // Of a server that was killed, they are gone with its folder.
      if (drops.length > 0) await executeAll(url, drops).catch(() => undefined)
    },
  }
}

/** Runs one statement on a connection of its own. */
export async function execute(url: string, statement: string): Promise<void> {
  await connected(url, (client) => client.query(statement))
}

/** Runs each of the statements, whether or not others fail: a database with open connections cannot be dropped, and stays. */
async function executeAll(url: string, statements: readonly string[]): Promise<void> {
  await connected(url, async (client) => {
    for (const statement of statements) await client.query(statement).catch(() => undefined)
  })
}

async function connected(url: string, act: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client(url)
  await client.connect()
  try {
    await act(client)
  } finally {
    await client.end()
  }
}
