import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Where Linux has a file system in memory. */
const memory = '/dev/shm'
const prefix = 'second-factor-tests-'
/** A whole run uses less than half of it, bytes. */
const needed = 4 * 2 ** 30

/**
 * Puts temporary files into memory where there is room: on a disk, SQLite waits for it at each commit, and a test that
 * waits keeps the core of its worker idle. Nothing that a test checks depends on the disk, because no test cuts the power.
 */
export default function setup(): () => void {
  if (!isSuitable()) return () => {}
  removeAbandoned()
  const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`))
  // PostgreSQL enters it as a user of its own.
  chmodSync(folder, 0o711)
  const previousEnv = { ...process.env }
  // The workers start later, with this environment. Hundreds of processes of tests load the same modules: compiling them
  // once saves a sixth of their time.
  Object.assign(process.env, { TMPDIR: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') })
  return () => {
    for (const name of ['TMPDIR', 'NODE_COMPILE_CACHE']) {
      if (previousEnv[name] === undefined) delete process.env[name]
      else process.env[name] = previousEnv[name]
    }
    // A browser that is ending may still write into it.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

/** In containers it is often too small, or cannot hold the programs that tests write and run. */
function isSuitable(): boolean {
  if (process.platform !== 'linux') return false
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , type, options = ''] = mounts.find((line) => line.split(' ')[1] === memory)?.split(' ') ?? []
  if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= needed
}

/** Those of runs that were killed would occupy memory until the machine restarts. */
function removeAbandoned(): void {
  for (const name of readdirSync(memory).filter((entry) => entry.startsWith(prefix))) {
    if (!isRunning(Number(name.slice(prefix.length).split('-')[0])))
      rmSync(join(memory, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
