import { stdout } from 'node:process'

import type { Reporter, TestCase } from 'vitest/node'

/** On a busy machine some of thousands of tests time out. More than this points to a fault in the tests or the product. */
const maxRetriedTests = 3

/** Lists the tests that passed only when retried (`retry`), and fails a run with too many of them. */
export default class SecondTries implements Reporter {
  readonly #names: string[] = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`)
  }

  onTestRunEnd(): void {
    for (const name of this.#names) stdout.write(`PASSED ONLY WHEN RETRIED: ${name}\n`)
    if (this.#names.length <= maxRetriedTests) return
    stdout.write(`${this.#names.length} tests passed only when retried; at most ${maxRetriedTests} may.\n`)
    process.exitCode = 1
  }
}
