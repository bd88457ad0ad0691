import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The repository, with a trailing slash. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a tool of node_modules with this Node. Resolves to whether it succeeded.
 * @param buffered Whether to print the output only at the end, so that the outputs of parallel tools do not mix.
 * @param env Variables of the environment that the tool gets in addition.
 */
export function run(script: string, args: readonly string[], { buffered = false, env = {} } = {}): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`${root}node_modules/${script}`, ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: buffered ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    })
    const output: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => output.push(part))
    child.on('error', reject).on('close', (code) => {
      process.stdout.write(Buffer.concat(output))
      resolve(code === 0)
    })
  })
}
