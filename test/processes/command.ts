import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The command as it is installed; `npm run build` makes it. */
const program = fileURLToPath(new URL('../../bin/second-factor.js', import.meta.url))

export interface Ended {
  /** Of the process; 128 and more after a signal it did not handle. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** What was printed, where that is JSON. */
  readonly json: any // oxlint-disable-line typescript/no-explicit-any -- tests read what they expect
}

interface Watched {
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves as soon as stdout or stderr matches; rejects when the process ends before. */
  readonly printed: (pattern: RegExp) => Promise<void>
  readonly signal: (name: NodeJS.Signals) => void
}

/** Runs `second-factor …` as a process of its own. Await it for its end. */
export function command(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> & Watched {
  const { watched, ended } = launch(args, env)
  return Object.assign(ended, watched)
}

/** Flags of `serve`: a test asks as fast as it can, on a machine that may be slow. */
export const withoutLimits = [
  '--requests-per-second=1000000',
  '--concurrent-requests=1000000',
  '--response-time=600000',
] as const

/** A running `second-factor serve`. */
export interface Served extends Watched {
  readonly origin: string
  readonly child: ChildProcess
  /** SIGTERM. @returns its exit code. */
  readonly stop: () => Promise<number>
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number>
  /** SIGKILL, also when it has ended. */
  readonly kill: () => void
}

/** What the operating system allows a process. */
interface Limits {
  /** Beyond which no file can grow, bytes: what then happens is an error of the disk. */
  readonly maxFileSize?: number
  /** How many files and connections it may have open. */
  readonly maxOpenFiles?: number
}

export async function serve(
  database: string,
  env: NodeJS.ProcessEnv = {},
  more: readonly string[] = [],
  limits: Limits = {},
): Promise<Served> {
  // No test but those about it waits for a drain.
  const settings = ['--drain-seconds', '0', ...withoutLimits]
  const args = ['serve', '--database', database, '--port', '0', ...settings, ...more]
  return listening(launch(args, env, program, limits))
}

/** A server of a test, such as a web node, that prints where it listens. */
export const startScript = (script: string, env: NodeJS.ProcessEnv, folder?: string): Promise<Served> =>
  listening(launch([], env, script, {}, folder))

async function listening({ child, watched, ended }: ReturnType<typeof launch>): Promise<Served> {
  await watched.printed(/listens on (\S+)/)
  return {
    ...watched,
    child,
    origin: /listens on (\S+)/.exec(watched.stdout())?.[1] ?? '',
    async stop() {
      child.kill('SIGTERM')
      return (await ended).code
    },
    ended: ended.then(({ code }) => code),
    kill: () => child.kill('SIGKILL'),
  }
}

function launch(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  script = program,
  { maxFileSize, maxOpenFiles }: Limits = {},
  folder: string = process.cwd(),
) {
  // The shell counts in blocks of 512 bytes, as POSIX says.
  const limits = [
    ...(maxFileSize === undefined ? [] : [`ulimit -S -f ${Math.ceil(maxFileSize / 512)}`]),
    // Node raises the soft limit to the hard one.
    ...(maxOpenFiles === undefined ? [] : [`ulimit -n ${maxOpenFiles}`]),
  ]
  const shell = ['-c', [...limits, 'exec "$0" "$@"'].join(' && ')]
  const run = [process.execPath, script, ...args]
  const [file = '', ...spawnArgs] = limits.length === 0 ? run : ['/bin/sh', ...shell, ...run]
  const child = spawn(file, spawnArgs, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
  })
  let [stdout, stderr] = ['', '']
  const checks = new Set<() => void>()
  const onOutput = () => checks.forEach((check) => check())
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    onOutput()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    onOutput()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => {
      const json: unknown = args.includes('--json') && stdout !== '' ? JSON.parse(stdout) : undefined
      resolve({ code: code ?? (signal ? 128 : -1), stdout, stderr, json })
    })
  })
  const printed = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!pattern.test(stdout) && !pattern.test(stderr)) return
        checks.delete(check)
        resolve()
      }
      checks.add(check)
      check()
      void ended.then(() => reject(new Error(`ended without ${pattern}: ${stdout}${stderr}`)))
    })
  const signal = (name: NodeJS.Signals) => void child.kill(name)
  const watched: Watched = { stdout: () => stdout, stderr: () => stderr, printed, signal }
  return { child, watched, ended }
}
