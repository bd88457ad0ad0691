import { FileProblem } from './file-problem.ts'

/** One record of a CSV file. */
export interface CsvRecord {
  /** The line that the record begins in, from 1. */
  readonly line: number
  readonly fields: readonly string[]
  /** Why its quotes are not valid. */
  readonly fault: string | undefined
}

/** A part of the text, with the offset of its end. */
interface Part<T> {
  readonly value: T
  readonly end: number
  readonly fault: string | undefined
}

/** The longest record, characters. A quote that is not closed would otherwise make one record of the rest of the file. */
const maxRecordLength = 16 * 1024

/**
 * Parses CSV (RFC 4180) with any line breaks, as its text arrives. The first line decides whether fields are separated by commas,
 * semicolons or tabs. Skips empty lines, and trims fields without quotes.
 */
export async function* parseCsv(pieces: AsyncIterable<string>): AsyncGenerator<readonly CsvRecord[]> {
  let [text, line, separator]: [string, number, string | undefined] = ['', 1, undefined]
  const read = (isLast: boolean) => {
    const start = separator === undefined ? beginningOf(text, isLast) : { line, text, separator }
    if (!start) return []
    const result = readRecords(start.text, start.line, { separator: start.separator, isLast })
    ;[text, line, separator] = [result.rest, result.line, start.separator]
    return result.records
  }
  for await (const piece of pieces) {
    text += piece
    yield read(false)
    if (text.length > maxRecordLength)
      throw new FileProblem(`The row at line ${line} is longer than 16,384 characters. Check its quotes.`)
  }
  yield read(true)
}

/** Tells the separator by the first line that is not empty. @returns undefined if more text may follow in it. */
function beginningOf(text: string, isLast: boolean) {
  const blanks = text.slice(0, text.length - text.trimStart().length)
  const blank = blanks.slice(0, Math.max(blanks.lastIndexOf('\n'), blanks.lastIndexOf('\r')) + 1)
  const rest = text.slice(blank.length)
  const end = rest.search(/[\r\n]/)
  if (end < 0 && !isLast && text.length <= maxRecordLength) return undefined
  const first = end < 0 ? rest : rest.slice(0, end)
  refuseByName(first)
  // Spreadsheets read this line, and do not show it.
  const [named, given] = /^sep=([,;\t])[\t ]*$/i.exec(first) ?? []
  if (named !== undefined && given !== undefined)
    return { separator: given, text: rest.slice(named.length), line: linesIn(blank) + 1 }
  const outside = first.replace(/"[^"]*(?:"|$)/g, '')
  const count = (separator: string) => outside.split(separator).length
  const [separator = ','] = [',', ';', '\t'].toSorted((one, other) => count(other) - count(one))
  return { separator, text: rest, line: linesIn(blank) + 1 }
}

/** Formats of directories and programs, which begin so. */
function refuseByName(first: string): void {
  const name = /^(?:dn::? |version: \d)/i.test(first)
    ? 'LDIF'
    : /^[[{]\s*(?:["[{]|$)/.test(first.trim())
      ? 'JSON'
      : undefined
  if (name !== undefined) throw new FileProblem(`The file is ${name}, which is not read here. Export it as CSV.`)
}

const linesIn = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0

interface Reading {
  readonly separator: string
  /** Whether the text ends the file. If not, a record that may continue is left over. */
  readonly isLast: boolean
}

function readRecords(text: string, firstLine: number, { separator, isLast }: Reading) {
  const records: CsvRecord[] = []
  let [start, line] = [0, firstLine]
  while (start < text.length) {
    const { value: fields, end, fault } = readRecord(text, start, separator)
    // A line feed may follow a carriage return.
    if (!isLast && (end > text.length || (end === text.length && text[end - 1] === '\r'))) break
    if (fault !== undefined || fields.some((field) => field !== '')) records.push({ line, fields, fault })
    line += linesIn(text.slice(start, end))
    start = end
  }
  return { records, line, rest: text.slice(start) }
}

/** The end is behind its line break, and behind the end of the text where there is none. */
function readRecord(text: string, start: number, separator: string): Part<string[]> {
  const fields: Part<string>[] = []
  let end = start
  for (;;) {
    const field = text[end] === '"' ? readQuoted(text, end, separator) : readPlain(text, end, separator)
    fields.push(field)
    end = field.end
    if (text[end] !== separator) break
    end += 1
  }
  const newline = text.startsWith('\r\n', end) ? 2 : 1
  return {
    value: fields.map(({ value }) => value),
    end: end + newline,
    fault: fields.find(({ fault }) => fault !== undefined)?.fault,
  }
}

function readPlain(text: string, start: number, separator: string): Part<string> {
  const value = upToSeparator(text, start, separator)
  const fault = value.includes('"') ? 'a quote in the middle of a field' : undefined
  return { value: value.trim(), end: start + value.length, fault }
}

function readQuoted(text: string, start: number, separator: string): Part<string> {
  let close = text.indexOf('"', start + 1)
  // Two quotes stand for one.
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  if (close < 0) return { value: '', end: text.length, fault: 'a quote is not closed' }
  const value = text.slice(start + 1, close).replaceAll('""', '"')
  const rest = upToSeparator(text, close + 1, separator)
  const fault = rest.trim() === '' ? undefined : 'text after a closing quote'
  return { value, end: close + 1 + rest.length, fault }
}

const plainFields = { ',': /[^,\r\n]*/y, ';': /[^;\r\n]*/y, '\t': /[^\t\r\n]*/y }

function upToSeparator(text: string, start: number, separator: string): string {
  const plain = plainFields[separator as keyof typeof plainFields]
  plain.lastIndex = start
  return plain.exec(text)?.[0] ?? ''
}
