import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'

/** Starts a module of this folder in a process of its own. */
export const child = (name: string, env: NodeJS.ProcessEnv = {}): ChildProcess =>
  fork(new URL(`./${name}.ts`, import.meta.url), { env: { ...process.env, NODE_NO_WARNINGS: '1', ...env } })

/** The next message of a child; rejects when it ends instead. */
export async function heard<T>(process: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('A process of the crowd has ended.'))
    process.once('exit', ended)
    process.once('message', (message) => {
      process.off('exit', ended)
      resolve(message as T)
    })
  })
}
