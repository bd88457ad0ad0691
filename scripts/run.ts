import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The repository, with a trailing slash. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a tool of node_modules with this Node. Resolves to whether it succeeded.
 * @param buffered Whether to print the output only at the end, so that the outputs of parallel tools do not mix.
 * @param env Variables of the environment that the tool gets in addition.
 */
export async function run(
  script: string,
  args: readonly string[],
  { buffered = false, env = {} } = {},
): Promise<boolean> {
  const { succeeded, output } = await runTool(script, args, { stdio: buffered ? 'pipe' : 'inherit', env })
  process.stdout.write(output)
  return succeeded
}

interface ToolOptions {
  readonly stdio: 'pipe' | 'inherit'
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a tool, whose output is returned where it is piped. */
export function runTool(
  script: string,
  args: readonly string[],
  { stdio, env = {} }: ToolOptions,
): Promise<{ readonly succeeded: boolean; readonly output: Buffer }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`${root}node_modules/${script}`, ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: stdio === 'pipe' ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    })
    const output: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => output.push(part))
    child.on('error', reject).on('close', (code) => resolve({ succeeded: code === 0, output: Buffer.concat(output) }))
  })
}
