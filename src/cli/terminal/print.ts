import { styleText } from 'node:util'

import { printable } from '../../ground/printable.ts'

type Row = readonly [label: string, value: string]

/** One fact per line, aligned. */
export function printRows(rows: readonly Row[]): void {
  const labelWidth = Math.max(...rows.map(([label]) => label.length))
  for (const [label, value] of rows) console.log(`${dim(label.padEnd(labelWidth))}  ${printable(value)}`)
}

/** One line per row, columns aligned. @param empty Printed instead when there are no rows. */
export function printTable(columns: readonly string[], rows: readonly (readonly string[])[], empty: string): void {
  if (rows.length === 0) return console.log(empty)
  const widths = widthsOf(columns, rows)
  for (const line of [heading(columns, widths), ...tableLines(rows, widths)]) console.log(line)
}

/** A table of any length, printed page by page: a column becomes wider where a page needs it. */
export async function printPages(
  columns: readonly string[],
  pages: AsyncIterable<readonly (readonly string[])[]>,
  empty: string,
): Promise<void> {
  let widths: readonly number[] | undefined
  await printChunks(chunks())
  if (!widths) console.log(empty)

  async function* chunks(): AsyncIterable<string> {
    for await (const rows of pages) {
      if (rows.length === 0) continue
      const isFirst = widths === undefined
      widths = widthsOf(columns, rows, widths)
      const lines = tableLines(rows, widths)
      yield `${[...(isFirst ? [heading(columns, widths)] : []), ...lines].join('\n')}\n`
    }
  }
}

const heading = (columns: readonly string[], widths: readonly number[]) => dim(tableLine(columns, widths))

const tableLines = (rows: readonly (readonly string[])[], widths: readonly number[]) =>
  rows.map((row) => tableLine(row.map(printable), widths))

/** @param before The widths of the columns so far. */
const widthsOf = (
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  before: readonly number[] = [],
): readonly number[] =>
  columns.map((column, index) =>
    Math.max(before[index] ?? 0, ...[column, ...rows.map((row) => printable(row[index] ?? ''))].map(width)),
  )

/** The output for scripts: members may be added, but never changed. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, undefined, 2))
}

/** Reports a change: with a sentence for people, or a value for scripts. */
export function printDone({ json }: { readonly json?: boolean }, value: object, sentence: string): void {
  if (json) printJson(value)
  else console.log(sentence)
}

/** Prints each value as a line of JSON, as fast as the reader takes them. */
export const printLines = (values: AsyncIterable<unknown>): Promise<void> =>
  printChunks(mapped(values, (value) => `${JSON.stringify(value)}\n`))

/** Prints values as `printJson` prints an array of them, one after the other. */
export async function printJsonItems(values: AsyncIterable<unknown>): Promise<void> {
  let isFirst = true
  await printChunks(
    mapped(values, (value) => {
      const begin = isFirst ? '[\n' : ',\n'
      isFirst = false
      return begin + JSON.stringify([value], undefined, 2).slice('[\n'.length, -'\n]'.length)
    }),
  )
  console.log(isFirst ? '[]' : '\n]')
}

async function* mapped<T>(values: AsyncIterable<T>, text: (value: T) => string): AsyncIterable<string> {
  for await (const value of values) yield text(value)
}

/** Prints each text as fast as the reader takes them. */
export async function printChunks(chunks: AsyncIterable<string>): Promise<void> {
  const { stdout } = process
  let closed = false
  // A reader such as `head` closes the pipe early.
  const closing = new Promise<void>((resolve) => {
    stdout.once('error', () => {
      closed = true
      resolve()
    })
  })
  for await (const chunk of chunks) {
    if (closed) return
    if (stdout.write(chunk)) continue
    await Promise.race([new Promise<void>((resolve) => void stdout.once('drain', resolve)), closing])
  }
}

export const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')

export const yesOrNo = (fact: boolean): string => (fact ? 'yes' : 'no')

/** @param plural Of nouns that do not end in s. */
export const counted = (count: number, noun: string, plural = `${noun}s`) => `${count} ${count === 1 ? noun : plural}`

/** The beginning of an id: short enough to read, long enough to be unique. Commands accept it in place of the id. */
export const shortId = (id: string): string => id.slice(0, 12)

/** Quotes text of other people, without characters that could alter the terminal. */
export const quote = (text: string): string => `"${printable(text)}"`

const dim = (text: string) => styleText('dim', text, { stream: process.stdout })

function tableLine(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, index) => cell + ' '.repeat(Math.max(0, (widths[index] ?? 0) - width(cell))))
    .join('  ')
    .trimEnd()
}

/** Terminal columns: East Asian characters and emoji take two, combining characters none. */
function width(text: string): number {
  const wide = text.match(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/gu,
  )
  const combining = text.match(/\p{Mark}/gu)
  return Array.from(text).length + (wide?.length ?? 0) - (combining?.length ?? 0)
}
