import { globSync } from 'node:fs'
import { join } from 'node:path'

import type { Change, Mutant } from '../../test/mutants/mutant.ts'

/** All recorded mutants, with their list. */
export async function readMutants(root: string): Promise<readonly (Mutant & { readonly list: string })[]> {
  const lists = globSync('test/mutants/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('mutant.ts'))
    .sort()
  const all = await Promise.all(
    lists.map(async (list) => {
      const { mutants } = (await import(join(root, list))) as { mutants: readonly Mutant[] }
      return mutants.map((mutant) => ({ ...mutant, list }))
    }),
  )
  return all.flat()
}

/** All changes of a mutant. */
export function changesOf({ file, find, replace, also = [] }: Mutant): readonly Change[] {
  return [{ file, find, replace }, ...also]
}

/** Returns the changed source, or the reason why the change does not apply. */
export function applyChange({ file, find, replace }: Change, source: string): { text: string } | { problem: string } {
  if (find === replace) return { problem: 'find and replace are the same' }
  const count = source.split(find).length - 1
  if (count !== 1) return { problem: `find occurs ${count} times in ${file}, expected once` }
  return { text: source.replace(find, () => replace) }
}

/** Matches the full names of tests with this title. Placeholders of `it.each` match any text. */
export function titlePattern(title: string): RegExp {
  const escaped = title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(escaped.replaceAll(/%(?:s|j|i|d|o|#)|\\\$[a-zA-Z]+(?:\\\.[a-zA-Z]+)*/g, '.*'))
}
