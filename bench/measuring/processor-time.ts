import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of a clock tick in /proc (getconf CLK_TCK). */
const tick = 10

interface Process {
  readonly pid: number
  readonly parent: number
  /** Milliseconds, user and system. */
  readonly own: number
  /** The time of children that have ended. */
  readonly ended: number
}

/** Processor time of a process, milliseconds. */
export const timeOf = (pid: number): number => read(pid)?.own ?? 0

/** Processor time of a process and of all its children, milliseconds. */
export function timeWithChildren(pid: number): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => read(Number(name)) ?? [])
  const countedProcesses = processes.filter((candidate) => candidate.pid === pid || candidate.parent === pid)
  return countedProcesses.reduce((sum, { own, ended }) => sum + own + ended, 0)
}

/** proc(5): the fields after the name, which may contain blanks. */
function read(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) * tick)
    if (user === undefined || system === undefined || endedUser === undefined || endedSystem === undefined)
      return undefined
    return { pid, parent: Number(fields[1]), own: user + system, ended: endedUser + endedSystem }
  } catch {
    // It has ended meanwhile.
    return undefined
  }
}
