import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { csvHead, csvRecord } from '../../../../src/service/engine/base/csv.ts'
import { anyText } from '../../../support/any-text.ts'
import { calculatedCells, cellsOf, hostileCells } from '../../../support/spreadsheet.ts'

const pieces = ['=', '+', '-', '@', '＝', '＠', ',', ';', '\t', '|', '\r', '\n', '\r\n', '"', '""', ' ', "'", 'x', '1']
const cell = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')) },
  anyText(),
)

describe('a record of a CSV file', () => {
  it.each(hostileCells.map((text) => [JSON.stringify(text), text]))('a CSV record makes text of %s', (_shown, text) => {
    const record = csvRecord(['id', text, 'last'])

    expect(calculatedCells(`${['id', text, 'last'].join(',')}\r\n`)).not.toEqual([])
    expect(calculatedCells(record)).toEqual([])
  })

  it('a CSV record contains no cell that a spreadsheet calculates, whatever separates its cells', () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), (cells) => {
        expect(calculatedCells(csvRecord(cells))).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  })

  it('a CSV record has the cells that were written, with apostrophes added', () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), (cells) => {
        const [read, ...rest] = cellsOf(csvRecord(cells), ',')

        expect(rest).toEqual([])
        expect(read).toHaveLength(cells.length)
        expect(read!.map((text) => text.replaceAll("'", ''))).toEqual(cells.map((text) => text.replaceAll("'", '')))
      }),
    )
  })

  it('a CSV record quotes every cell, and doubles quotes', () => {
    expect(csvRecord(['say "hi"', 7, true, null, undefined])).toBe('"say ""hi""","7","true","",""\r\n')
  })

  it('a CSV record leaves hyphens, addresses and times in the middle of a cell as they are', () => {
    const cells = ['anna-lena@example.com', '2026-11-26T02:10:00Z', 'a=b c=d', 'Müller, Anna']

    expect(cellsOf(csvRecord(cells), ',')).toEqual([cells])
  })

  it('the first record of a downloaded file says that the file is UTF-8, and is no formula', () => {
    const file = csvHead(['name']) + csvRecord(['Jürgen Müßig'])

    expect(Buffer.from(file).subarray(0, 3).toString('hex')).toBe('efbbbf')
    expect(calculatedCells(file)).toEqual([])
  })
})
