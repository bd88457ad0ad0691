import { styleText } from 'node:util'

import { printable } from '../../device/printable.ts'

/** One line for each row, columns aligned. @param none Said where there are no rows. */
export function printTable(columns: readonly string[], rows: readonly (readonly string[])[], none: string): void {
  if (rows.length === 0) return console.log(none)
  const cells = rows.map((row) => row.map((cell) => printable(cell)))
  const widths = columns.map((column, index) =>
    Math.max(...[column, ...cells.map((row) => row[index] ?? '')].map(width)),
  )
  console.log(styleText('dim', line(columns, widths), { stream: process.stdout }))
  for (const row of cells) console.log(line(row, widths))
}

/** For scripts: members are added, never changed. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, undefined, 2))
}

/** What was done: a sentence for people, a value for scripts. */
export function printDone({ json }: { readonly json?: boolean }, value: object, sentence: string): void {
  if (json) printJson(value)
  else console.log(sentence)
}

export const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')

export const yesOrNo = (fact: boolean): string => (fact ? 'yes' : 'no')

/** An id as people copy it: enough of it to be told from others, and to be found by. */
export const shortId = (id: string): string => id.slice(0, 12)

/** What was typed or stored, so that it can do nothing to the line it stands in. */
export const quote = (text: string): string => `"${printable(text)}"`

function line(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, index) => cell + ' '.repeat(Math.max(0, (widths[index] ?? 0) - width(cell))))
    .join('  ')
    .trimEnd()
}

/** Columns of a terminal: East Asian characters take two, combining ones none. */
function width(text: string): number {
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]/gu)
  const none = text.match(/\p{Mark}/gu)
  return Array.from(text).length + (wide?.length ?? 0) - (none?.length ?? 0)
}
