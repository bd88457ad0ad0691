import { stdout } from 'node:process'

import type { Reporter, TestCase } from 'vitest/node'

/** A busy machine makes some of thousands wait too long. More than this is a fault of the tests or of the product. */
const maxSecondTries = 3

/** Names the tests that passed only when they were tried again (`retry`), and lets a run fail that has too many. */
export default class SecondTries implements Reporter {
  readonly #names: string[] = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`)
  }

  onTestRunEnd(): void {
    for (const name of this.#names) stdout.write(`PASSED ONLY AT ITS SECOND TRY: ${name}\n`)
    if (this.#names.length <= maxSecondTries) return
    stdout.write(`${this.#names.length} tests needed a second try, ${maxSecondTries} may.\n`)
    process.exitCode = 1
  }
}
