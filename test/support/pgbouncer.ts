import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface PgBouncer {
  /** The address of the database through it. */
  readonly address: string
  readonly stop: () => Promise<void>
}

/**
 * A real PgBouncer in transaction mode in front of a database, with few connections to it.
 * @throws {Error} where the program is not installed.
 */
export async function startPgBouncer(database: string): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-pgbouncer-'))
  // As root it runs as the user that the tests run PostgreSQL as.
  chmodSync(folder, 0o755)
  const { hostname, port, username, password, pathname } = new URL(database)
  const ownPort = await freePort()
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
`,
  )
  const asUser = process.getuid?.() === 0 ? ['--user', 'postgres'] : []
  const child = spawn('pgbouncer', [...asUser, join(folder, 'pgbouncer.ini')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.on('error', () => reject(new Error('This test needs PgBouncer: apt-get install pgbouncer')))
    child.on('close', () => reject(new Error(`PgBouncer ended: ${output}`)))
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes('process up')) resolve()
    })
  })
  return {
    address: `postgres://${username}:${password}@127.0.0.1:${ownPort}${pathname}`,
    async stop() {
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
      rmSync(folder, { recursive: true })
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
