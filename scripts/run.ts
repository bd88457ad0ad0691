import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The repository, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs a tool of node_modules under this very Node, its output passed on. Answers whether it succeeded. */
export function run(script: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    spawn(process.execPath, [`${root}node_modules/${script}`, ...args], { cwd: root, stdio: 'inherit' })
      .on('error', reject)
      .on('close', (code) => resolve(code === 0))
  })
}
