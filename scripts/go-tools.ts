import { availableParallelism } from 'node:os'

import { run, runTool } from './run.ts'

/**
 * Threads of the type checker and of the linter, which run in parallel. Each thread checks the types that all files share
 * for itself, so with four of them on two cores, the type checker would need twice the processor time.
 */
const threads = `${Math.ceil(availableParallelism() / 2)}`

/** Both are programs in Go. They end soon, so they may use more memory before they collect garbage. */
const env = { GOMAXPROCS: threads, GOGC: '400' }

/** Prints its output at the end. Resolves to whether it succeeded. */
export function tsc(args: readonly string[]): Promise<boolean> {
  return run('typescript/bin/tsc', ['--checkers', threads, ...args], { buffered: true, env })
}

/** What people run or copy. */
const published = ['src', 'bin', 'example-app', 'examples']

/**
 * Prints nothing. Rules that need types are applied to what people run or copy: types of the tests would take twice as long, and
 * vitest itself fails a test that does not await an assertion. `npm run lint` applies them to everything.
 */
export async function lint(): Promise<{ readonly succeeded: boolean; readonly output: Buffer }> {
  const oxlint = (...args: string[]) => runTool('oxlint/bin/oxlint', args, { stdio: 'pipe', env })
  const results = await Promise.all([oxlint('--type-aware', ...published), oxlint('.')])
  return {
    succeeded: results.every(({ succeeded }) => succeeded),
    output: Buffer.concat(results.map(({ output }) => output)),
  }
}
