import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

import { createClient } from '../../src/client/client.ts'
import { runIn } from '../cli/admin/run-command.ts'
import { serve } from '../processes/command.ts'
import type { Served } from '../processes/command.ts'
import { openPostgres } from './postgres.ts'

export type ServiceNodes = Awaited<ReturnType<typeof startNodes>>

/** Several `second-factor serve` on one PostgreSQL, each a process of its own on a port that it keeps over restarts. */
export async function startNodes(count: number, more: readonly string[] = []) {
  const postgres = await openPostgres()
  const database = await postgres.createDatabase()
  const env = { MFA_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` }
  const init = await runIn(env, 'init', '--database', database, '--json')
  const { apiKey, domainId } = init.json as { apiKey: string; domainId: string }
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const start = (port: number) =>
    serve(database, env, ['--port', String(port), '--log-level', 'error', '--no-push', ...more])
  const running = new Map<number, Served>()
  for (const port of ports) running.set(port, await start(port))

  return {
    ports,
    apiKey,
    domainId,
    /** SIGTERM, and another process on the same port once the first has ended. @returns the exit code of the first. */
    async restart(port: number): Promise<number | undefined> {
      const code = await running.get(port)?.stop()
      running.set(port, await start(port))
      return code
    },
    async stop(): Promise<void> {
      for (const node of running.values()) node.kill()
      await Promise.all([...running.values()].map((node) => node.ended))
      await postgres.stop()
    },
    /** @param origin of what is in front of the nodes. */
    client: (origin: string) => createClient({ baseUrl: `${origin}/api`, apiKey }),
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
