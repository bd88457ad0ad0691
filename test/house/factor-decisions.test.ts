import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { Factor } from '../../src/contract/factor.ts'
import { factorDecisions } from './factor-decisions.ts'

describe('what a factor is', () => {
  /*
   * src/contract/factor-descriptions.ts says what a factor is. The record has each other place that decides by its name: what that
   * factor alone does. A new factor changes the first line, so that somebody looks at each place before the record is written anew.
   */
  it('code decides by the name of a factor only where that factor alone is meant', async () => {
    const lines = [`factors: ${Factor.options.join(' ')}`, ...factorDecisions(root)]

    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../records/factor-decisions.txt')
    // It parses and checks all of src/ by the compiler, which can take a minute on a busy machine.
  }, 240_000)
})
