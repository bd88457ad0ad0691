import { describe, expect, it, vi } from 'vitest'

import { remember } from '../../../../src/service/engine/base/remember.ts'

describe('the results of a function of a text', () => {
  it('remember() computes the result once for each of a few short texts', () => {
    const compute = vi.fn<(text: string) => string>((text) => text.toUpperCase())
    const upper = remember(compute)

    expect([upper('a'), upper('b'), upper('a')]).toEqual(['A', 'B', 'A'])
    expect(compute).toHaveBeenCalledTimes(2)
  })

  it('remember() keeps no results for long texts, and not more than a few hundred', () => {
    const compute = vi.fn<(text: string) => number>((text) => text.length)
    const lengthOf = remember(compute)
    const long = 'x'.repeat(201)

    expect([lengthOf(long), lengthOf(long)]).toEqual([201, 201])
    for (let index = 0; index < 501; index++) lengthOf(`${index}`)
    lengthOf('0')

    expect(compute).toHaveBeenCalledTimes(2 + 501 + 1)
  })
})
