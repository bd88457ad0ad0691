import { stripVTControlCharacters } from 'node:util'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { printJson, printJsonItems, printPages } from '../../../src/cli/terminal/print.ts'

describe('what a command prints while it reads', () => {
  let written: string[]

  beforeEach(() => {
    written = []
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
    vi.spyOn(console, 'log').mockImplementation((line: string) => void written.push(`${line}\n`))
  })
  afterEach(() => void vi.restoreAllMocks())

  async function* each<T>(values: readonly T[]): AsyncIterable<T> {
    for (const value of values) {
      written.push('(read)')
      yield value
    }
  }
  const text = () => stripVTControlCharacters(written.join('').replaceAll('(read)', ''))

  it.each<[unknown[]]>([[[]], [[{ name: 'Alice' }]], [[{ list: [1, { deep: true }] }, 'text', null]]])(
    'a list of JSON is the same whether it is printed at once or item by item: %j',
    async (values) => {
      printJson(values)
      const atOnce = text()
      written = []

      await printJsonItems(each(values))

      expect(text()).toBe(atOnce)
    },
  )

  it('a table is printed page by page, and a column becomes wider where a page needs it', async () => {
    await printPages(['Name', 'Factors'], each([[['Al', 'push']], [['Alexandra', 'push']], [['Bo', 'otp']]]), 'None.')

    expect(written.slice(0, 4).map((chunk) => chunk === '(read)')).toEqual([true, false, true, false])
    expect(text()).toBe('Name  Factors\nAl    push\nAlexandra  push\nBo         otp\n')
  })

  it('a table without a row is a sentence', async () => {
    await printPages(['Name'], each<string[][]>([[], []]), 'No users yet.')

    expect(text()).toBe('No users yet.\n')
  })
})
