import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

import { applyChange, changesOf, readMutants, titlePattern } from '../../scripts/mutants/lists.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const mutants = await readMutants(root)
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')

describe('the recorded mutants', () => {
  it.each(mutants)('a recorded mutant still applies: $defense, in $file', (mutant) => {
    for (const change of changesOf(mutant)) expect(applyChange(change, read(change.file))).toHaveProperty('text')
  })

  it.each(mutants)('a recorded mutant names a test that exists: $defense', ({ test, title }) => {
    expect(existsSync(`${root}test/${test}`)).toBe(true)
    expect(read(`test/${test}`).replaceAll("\\'", "'")).toContain(title)
  })

  it('all recorded mutants are different', () => {
    const keys = mutants.map((mutant) => JSON.stringify([changesOf(mutant), mutant.title]))
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })
})

describe('the pattern for a title', () => {
  it('the pattern for a title matches the titles that placeholders make', () => {
    expect('the app wants a step (again): POST /x').toMatch(titlePattern('wants a step (again): %s'))
    expect('may not createUser').toMatch(titlePattern('may not $name'))
  })

  it('the pattern for a title matches no other title', () => {
    expect('may do createUser').not.toMatch(titlePattern('may not $name'))
    expect('costs 5x').not.toMatch(titlePattern('costs 5.'))
  })
})
