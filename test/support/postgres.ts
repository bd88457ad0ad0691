import { randomBytes } from 'node:crypto'

import { Client } from 'pg'
import { inject } from 'vitest'

import { startServer } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

export interface Postgres {
  /** Of a new database. */
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

/** With a server that no other test file uses, which may be killed. */
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
  return databasesAt(text)
}

/** A real server of one's own, below a second away. Its data does not outlive it, so nothing has to be safe on the disk. */
export async function startPostgres({ fsync = false } = {}): Promise<OwnPostgres> {
  const server = await startServer({ fsync })
  const databases = databasesAt(server.url)
  return { ...server, createDatabase: () => databases.createDatabase() }
}

function databasesAt(url: string): Postgres {
  const names: string[] = []
  return {
    async createDatabase() {
      const name = `test_${randomBytes(8).toString('hex')}`
      await execute(url, `CREATE DATABASE ${name}`)
      names.push(name)
      return new URL(name, url).href
    },
    async stop() {
      // One that somebody is still connected to stays, and goes with the server.
      for (const name of names) await execute(url, `DROP DATABASE ${name}`).catch(() => undefined)
    },
  }
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
