import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A process that is measured. */
export interface Contender<T> {
  readonly pid: number
  /** The message that it sent when it was ready. */
  readonly given: T
  stop(): Promise<void>
}

/** As in production, where a service creates its database only if it is told to. */
const production = { NODE_ENV: 'production', MFA_CREATE: '1', NODE_NO_WARNINGS: '1' }

/**
 * Starts a module of `bench/`, which reports with `process.send()` when it is ready, and ends when the parent disconnects.
 * @param file Below `bench/`.
 */
export async function startContender<T>(
  file: string,
  args: readonly string[] = [],
  options: { readonly env?: NodeJS.ProcessEnv; readonly execArgv?: readonly string[] } = {},
): Promise<Contender<T>> {
  const child = fork(fileURLToPath(new URL(`../${file}`, import.meta.url)), args, {
    env: { ...process.env, ...production, ...options.env },
    execArgv: [...(options.execArgv ?? [])],
  })
  const ended = once(child, 'exit')
  const firstMessage = await Promise.race([
    once(child, 'message').then(([message]) => message as T),
    ended.then(([code]) => Promise.reject(new Error(`${file} ended with code ${code} before it was ready`))),
  ])
  return {
    pid: child.pid ?? 0,
    given: firstMessage,
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
