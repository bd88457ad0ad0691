import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'

/** What a process uses. */
export interface Measured {
  /** Processor time since it began, seconds. */
  processorTime(): number
  /** After a garbage collection, bytes. */
  memory(): Promise<{ readonly rss: number; readonly heapUsed: number }>
}

/** The environment in which a Node process can be measured. @param socket Path of a socket that does not exist yet. */
export function measurable(socket: string): NodeJS.ProcessEnv {
  const probe = fileURLToPath(new URL('./probe.ts', import.meta.url))
  return { MEMORY_PROBE: socket, NODE_OPTIONS: `--expose-gc --import=${probe}` }
}

export function measure(pid: number, socket: string): Measured {
  return {
    processorTime: () => processorTime(pid),
    async memory() {
      let text = ''
      const connection = connect(socket).setEncoding('utf8')
      connection.write('memory\n')
      for await (const chunk of connection) text += String(chunk)
      return JSON.parse(text) as NodeJS.MemoryUsage
    },
  }
}

/** Linux counts it in hundredths of a second, whatever the kernel's own tick (proc(5), `utime` and `stime`). */
function processorTime(pid: number): number {
  // The name of the program is in parentheses and may contain any character.
  const [, fields = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number)
  return (user + system) / 100
}
