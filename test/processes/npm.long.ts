import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, it, onTestFinished, vi } from 'vitest'

import { run } from '../cli/admin/run-command.ts'
import { waitTimeout } from '../support/wait-timeout.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-npm-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a server that npm started', () => {
  it('a server started with npm start exits cleanly when npm gets SIGTERM', async () => {
    const port = await freePort()
    const env = { PORT: String(port), DATA: folder }
    // Without `prestart`, which would build the package.
    const npm = start('npm', ['start', '--ignore-scripts'], env)
    await npm.printed(new RegExp(`localhost:${port}`))

    npm.child.kill('SIGTERM')
    await npm.ended

    await vi.waitFor(() => expectFree(port), { timeout: waitTimeout })
    await vi.waitFor(() => expectUnlocked(join(folder, 'mfa.sqlite')), { timeout: waitTimeout })
  })

  it('a server started with npx second-factor serve exits cleanly when npx gets SIGTERM', async () => {
    const database = join(folder, 'mfa.sqlite')
    const port = await freePort()
    await run('init', '--database', database)
    const npx = start('npx', ['second-factor', 'serve', '--database', database, '--port', String(port)])
    await npx.printed(/listens on/)

    npx.child.kill('SIGTERM')
    await npx.ended

    await vi.waitFor(() => expectFree(port), { timeout: waitTimeout })
    await vi.waitFor(() => expectUnlocked(database), { timeout: waitTimeout })
  })
})

function start(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  // A separate process group, so that no process outlives the test.
  const child: ChildProcess = spawn(name, [...args], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, npm_config_update_notifier: 'false', ...env },
  })
  onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // The group has ended.
    }
  })
  let output = ''
  const printed = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const check = (text: string) => {
        output += text
        if (pattern.test(output)) resolve()
      }
      child.stdout?.setEncoding('utf8').on('data', check)
      child.stderr?.setEncoding('utf8').on('data', check)
      child.once('close', () => reject(new Error(`ended without ${pattern}: ${output}`)))
    })
  return { child, printed, ended: once(child, 'exit') }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function expectFree(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

/** Throws while another process has the database open. */
function expectUnlocked(file: string): void {
  const database = new Sqlite(file, { timeout: 0 })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
  } finally {
    database.close()
  }
}
