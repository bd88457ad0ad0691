import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** As it is installed. `npm run build` makes it. */
export const main = fileURLToPath(new URL('../../bin/second-factor.js', import.meta.url))

/** Starts `second-factor …` as a process of its own, without a terminal. */
export const start = (...args: readonly string[]) => startWith('', ...args)

/** The same, with something piped in. */
function startWith(input: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  // A command that needs no input may have ended before its input is written.
  child.stdin.on('error', () => {}).end(input)
  let stdout = ''
  let stderr = ''
  const listeners = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const check of listeners) check()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    for (const check of listeners) check()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr, lines: stdout.trimEnd().split('\n') }))
  })
  const matched = (output: () => string, pattern: RegExp) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!pattern.test(output())) return
        listeners.delete(check)
        resolve()
      }
      listeners.add(check)
      check()
    })
  return {
    ended,
    /** What it printed so far. */
    stdout: () => stdout,
    stop: () => child.kill('SIGINT'),
    /** Resolves as soon as the output matches. */
    printed: (pattern: RegExp) => matched(() => stdout, pattern),
    /** Resolves as soon as what it wrote to standard error matches. */
    wrote: (pattern: RegExp) => matched(() => stderr, pattern),
  }
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly lines: readonly string[]
}

/** Runs `second-factor …` to its end. */
export const run = (...args: readonly string[]): Promise<Ended> => start(...args).ended

export const runWith = (input: string, ...args: readonly string[]): Promise<Ended> => startWith(input, ...args).ended
