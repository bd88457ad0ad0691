import { createServer } from 'node:https'
import type { Server } from 'node:https'

import { onTestFinished } from 'vitest'

import type { KeyPair } from '../../example-app/https/key-pair.ts'

/** A server on a free port that shows this certificate, until the test is over. */
export async function serveSecurely({ certificate, key }: KeyPair): Promise<Server> {
  const server = createServer({ cert: certificate, key })
  await new Promise<void>((resolve) => void server.listen(0, resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return server
}
