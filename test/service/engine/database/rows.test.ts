import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { parseRows } from '../../../../src/service/engine/http/rows.ts'
import { inFullRun } from '../../../support/full-run.ts'

const read = (text: string, sliceSize?: number) => [...parseRows(text, sliceSize)].flat()

/** The returned value, or the code of the error. */
function outcome(parse: () => unknown): unknown {
  try {
    return parse()
  } catch (error) {
    return error instanceof SyntaxError ? 'api.error.malformed' : (error as { code: string }).code
  }
}

describe('a long array', () => {
  inFullRun('a long array is parsed to the same elements as in one piece, wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 1, '\t'),
        (rows, sliceSize, space) => {
          const text = ` ${JSON.stringify(rows, undefined, space)}\r\n`

          expect(read(text, sliceSize)).toEqual(JSON.parse(text))
        },
      ),
    )
  })

  inFullRun('a long array is rejected exactly when it would be rejected in one piece', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { minLength: 1 }),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(),
        fc.constantFrom('', ',', ']', '[', '}', '"', '\\', ' ', '1'),
        (rows, sliceSize, at, mark) => {
          const whole = JSON.stringify(rows)
          const place = 1 + (at % whole.length)
          const text = whole.slice(0, place) + mark + whole.slice(place + (mark === '' ? 1 : 0))

          expect(outcome(() => read(text, sliceSize))).toEqual(outcome(() => JSON.parse(text)))
        },
      ),
      { numRuns: 500 },
    )
  })

  it.each([
    ['[1,2}', 'api.error.malformed'],
    ['[1,2]]', 'api.error.malformed'],
    ['[1,2] x', 'api.error.malformed'],
    ['[1,,2]', 'api.error.malformed'],
    ['[1,2,]', 'api.error.malformed'],
    ['[,]', 'api.error.malformed'],
    ['[', 'api.error.malformed'],
    ['', 'api.error.malformed'],
    ['users', 'api.error.malformed'],
    ['{"users": []}', 'api.error.invalid.users'],
    ['"users"', 'api.error.invalid.users'],
    ['null', 'api.error.invalid.users'],
    ['[]', []],
    ['[ ]', []],
    ['["]","\\"[","\\\\"]', [']', '"[', '\\']],
  ])('the array %s, read in pieces, gives %j', (text, expected) => {
    expect(outcome(() => read(text, 1))).toEqual(expected)
  })

  it('a long array is rejected if an element is longer than the limit', () => {
    const long = JSON.stringify(['x'.repeat(70_000)])

    expect(outcome(() => read(long))).toBe('api.error.malformed')
  })
})
