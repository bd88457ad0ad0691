import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Whether there is somebody to ask. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stdout.isTTY

/** The first line of what is piped in. */
export async function readLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin })
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
  }
}

/** Asks one question, and does not show what is typed. */
export async function askHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const line = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  line.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  process.stdout.write(question)
  try {
    return await line.question('')
  } finally {
    line.close()
    process.stdout.write('\n')
  }
}

/** Asks one question; undefined when `signal` aborts first. */
export async function ask(question: string, signal?: AbortSignal): Promise<string | undefined> {
  const line = createInterface({ input: process.stdin, output: process.stdout })
  // Ctrl+C is for the whole command, not for the question alone.
  line.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    return (await line.question(question, signal ? { signal } : {})).trim()
  } catch (error) {
    if (!signal?.aborted) throw error
    console.log('')
    return undefined
  } finally {
    line.close()
  }
}
