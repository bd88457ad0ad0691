import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Mutant } from '../../test/mutants/mutant.ts'

/** Lines of docs/guarantees.md that have a tick, but no mutant. */
export async function guaranteesWithoutMutant(root: string, mutants: readonly Mutant[]): Promise<readonly string[]> {
  const lines = (await readFile(join(root, 'docs/guarantees.md'), 'utf8')).split('\n')
  return lines.filter((line) => {
    const [, test, title = ''] = /^- .+ ✓ \(`([^`]+)`: (.+)\)$/.exec(line) ?? []
    return test !== undefined && !mutants.some((mutant) => mutant.test === test && title.includes(mutant.title))
  })
}
