import { availableParallelism } from 'node:os'

import { run } from './run.ts'

/**
 * Threads of the type checker, beside which other steps run. Each thread checks the types that all files share for itself, so with
 * four of them on two cores, it would need twice the processor time.
 */
const threads = `${Math.ceil(availableParallelism() / 2)}`

/** It is a program in Go that ends soon, so it may use more memory before it collects garbage. */
const env = { GOMAXPROCS: threads, GOGC: '400' }

/** Prints its output at the end. Resolves to whether it succeeded. */
export function tsc(args: readonly string[]): Promise<boolean> {
  return run('typescript/bin/tsc', ['--checkers', threads, ...args], { buffered: true, env })
}
