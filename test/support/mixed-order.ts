import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

import { isSlow } from './slow-files.ts'

/**
 * Files take turns: one with a browser or processes, which wait much, and one without, which keeps a core busy meanwhile.
 * Where it knows no times yet, vitest starts the largest files first, and the longest of all are small: at the end, the
 * other workers would wait for them.
 */
export class MixedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const slow = sorted.filter(({ moduleId }) => isSlow(moduleId))
    const fast = sorted.filter(({ moduleId }) => !isSlow(moduleId))
    const turns = Math.max(slow.length, fast.length)
    return Array.from({ length: turns }, (_, turn) => [slow[turn], fast[turn]])
      .flat()
      .filter((file) => file !== undefined)
  }
}
