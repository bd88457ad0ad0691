import { readFileSync, readlinkSync } from 'node:fs'

/** Where a process runs and since when: enough to tell whether it has ended. Linux only. */
interface ProcessIdentity {
  /** Changes each time the machine starts. */
  readonly boot: string
  /** Process ids of different namespaces (containers) have nothing to do with each other. */
  readonly namespace: string
  readonly pid: number
  /** Clock ticks after boot: tells two processes of one id apart. */
  readonly start: string
}

/** This process, as JSON; undefined where the system does not say. */
export const ownProcess: string | undefined = read(() => JSON.stringify(identify(process.pid)))

/**
 * Whether a process has certainly ended. False where nobody can tell: it runs on another machine, in another container, or
 * on a system without `/proc`.
 */
export function hasEnded(identity: string | null): boolean {
  if (identity === null || ownProcess === undefined) return false
  const [theirs, own] = [identity, ownProcess].map((text) => JSON.parse(text) as ProcessIdentity)
  if (!theirs || theirs.boot !== own?.boot || theirs.namespace !== own.namespace) return false
  return read(() => startOf(theirs.pid)) !== theirs.start
}

function identify(pid: number): ProcessIdentity {
  return {
    boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    namespace: readlinkSync('/proc/self/ns/pid'),
    pid,
    start: startOf(pid),
  }
}

/** Field 22 of `/proc/<pid>/stat` (proc_pid_stat(5)). The name before it, in parentheses, may contain anything. */
function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function read<T>(from: () => T): T | undefined {
  try {
    return from()
  } catch {
    // No such process, or no `/proc`.
    return undefined
  }
}
