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

/** Prints nothing. */
export const lint = () => runTool('oxlint/bin/oxlint', ['--type-aware'], { stdio: 'pipe', env })
