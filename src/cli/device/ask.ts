import { createInterface } from 'node:readline/promises'

/** Whether there is somebody to ask. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stdout.isTTY

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
