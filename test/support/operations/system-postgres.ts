import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { vi } from 'vitest'

import { freePort } from './machine.ts'

/** PostgreSQL as the system's packages bring it: the server and the client programs are of one version. */
export interface SystemPostgres {
  /** Host and port. */
  readonly address: string
  /** For `psql`, `createdb`, `pg_dump` and others: what `sudo -u postgres` is on a machine. */
  readonly env: NodeJS.ProcessEnv
  stop(): Promise<void>
}

/** @throws {Error} where PostgreSQL is not installed. */
export async function startSystemPostgres(): Promise<SystemPostgres> {
  const [programs] = globSync('/usr/lib/postgresql/*/bin').sort().toReversed()
  if (programs === undefined) throw new Error('This test needs PostgreSQL. On Debian: sudo apt-get install postgresql')
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-system-postgres-'))
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')]
  writeFileSync(passwordFile, 'password\n')
  chmodSync(passwordFile, 0o644)
  chmodSync(folder, 0o777)
  // The server refuses to run as root.
  const launchPrefix = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : ['env']
  const port = await freePort()
  const [launcher = '', ...launcherArgs] = launchPrefix
  execFileSync(
    launcher,
    [
      ...launcherArgs,
      `${programs}/initdb`,
      '--no-sync',
      '-U',
      'postgres',
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-D',
      data,
    ],
    { stdio: 'ignore', cwd: '/' },
  )
  const flags = [
    '-p',
    String(port),
    '-c',
    'fsync=off',
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
  ]
  const server = spawn(launcher, [...launcherArgs, `${programs}/postgres`, '-D', data, ...flags], {
    stdio: 'ignore',
    cwd: '/',
  })
  const clientEnv = {
    PGHOST: '127.0.0.1',
    PGPORT: String(port),
    PGUSER: 'postgres',
    PGPASSWORD: 'password',
  }
  const env = { ...process.env, ...clientEnv }
  await vi.waitFor(() => execFileSync('pg_isready', [], { env, stdio: 'ignore' }), { timeout: 30_000, interval: 200 })
  return {
    address: `127.0.0.1:${port}`,
    env: clientEnv,
    async stop() {
      const ended = once(server, 'close')
      execFileSync(launcher, [...launcherArgs, `${programs}/pg_ctl`, 'stop', '-D', data, '-m', 'fast'], {
        stdio: 'ignore',
        cwd: '/',
      })
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
