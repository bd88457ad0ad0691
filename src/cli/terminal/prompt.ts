import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

import { exitCode, Failure } from './failure.ts'

/** Whether a person is at the terminal. */
export const canPrompt = (): boolean => process.stdin.isTTY && process.stdout.isTTY

/** The streams that a prompt reads and writes. */
interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/**
 * Asks one question.
 * @returns undefined when `signal` aborts first. What was typed until then is dropped.
 */
export async function ask(
  question: string,
  signal?: AbortSignal,
  { input, output }: Terminal = { input: process.stdin, output: process.stdout },
): Promise<string | undefined> {
  return (await prompt({ input, output }, question, signal))?.trim()
}

/** Asks one question without showing what is typed. */
export async function askHidden(question: string, signal?: AbortSignal): Promise<string | undefined> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  try {
    return await prompt({ input: process.stdin, output, terminal: true }, '', signal, () =>
      // Only now does the terminal no longer show what is typed.
      process.stdout.write(question),
    )
  } finally {
    process.stdout.write('\n')
  }
}

async function prompt(
  streams: Terminal & { readonly terminal?: boolean },
  question: string,
  signal?: AbortSignal,
  ready: () => void = () => {},
) {
  const line = createInterface(streams)
  ready()
  // Ctrl+C ends the whole command, not the question alone.
  line.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    return await line.question(question, signal ? { signal } : {})
  } catch (error) {
    if (!signal?.aborted) throw error
    streams.output.write('\n')
    return undefined
  } finally {
    line.close()
  }
}

/** The first line of standard input. */
export async function readLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin })
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
  }
}

export const yesOption = ['--yes', 'skip the confirmation prompt'] as const

/** Asks before something cannot be undone. Scripts confirm with `--yes`. @param action Such as "delete the user alice". */
export async function confirm(action: string, yes: boolean | undefined): Promise<void> {
  if (yes) return
  if (!canPrompt()) throw new Failure(`This would ${action}. To confirm, add --yes.`, exitCode.usage)
  const answer = await ask(`This will ${action}. Type yes to continue: `)
  if (answer?.toLowerCase() !== 'yes') throw new Failure('Nothing was changed.')
}
