import { readFileSync, readlinkSync } from 'node:fs'

/** Identifies a process well enough to tell whether it has ended. Linux only. */
interface ProcessIdentity {
  /** Changes each time the machine starts. */
  readonly boot: string
  /** Process ids of different namespaces (containers) are unrelated. */
  readonly namespace: string
  readonly pid: number
  /** Clock ticks after boot, to tell two processes with one id apart. */
  readonly start: string
}

/** This process, as JSON; undefined if the system does not tell. */
export const ownProcess: string | undefined = read(() => JSON.stringify(identify(process.pid)))

/**
 * Whether a process has certainly ended. False if unknown: it runs on another machine, in another container, or on a system
 * without `/proc`.
 */
export function hasEnded(identity: string | null): boolean {
  if (identity === null || ownProcess === undefined) return false
  const [otherProcess, thisProcess] = [identity, ownProcess].map((text) => JSON.parse(text) as ProcessIdentity)
  if (!otherProcess || otherProcess.boot !== thisProcess?.boot || otherProcess.namespace !== thisProcess.namespace)
    return false
  return read(() => startOf(otherProcess.pid)) !== otherProcess.start
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
