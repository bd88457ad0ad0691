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

/** Parses CSV (RFC 4180) with any line breaks, as its text arrives. Skips empty lines, and trims fields without quotes. */
export async function* parseCsv(pieces: AsyncIterable<string>): AsyncGenerator<readonly CsvRecord[]> {
  let [text, line] = ['', 1]
  for await (const piece of pieces) {
    const read = readRecords(text + piece, line, false)
    yield read.records
    ;[text, line] = [read.rest, read.line]
    if (text.length > maxRecordLength)
      throw new FileProblem(`The row at line ${line} is longer than 16,384 characters. Check its quotes.`)
  }
  yield readRecords(text, line, true).records
}

/** @param isLast Whether the text ends the file. If not, a record that may continue is left over. */
function readRecords(text: string, firstLine: number, isLast: boolean) {
  const records: CsvRecord[] = []
  let [start, line] = [0, firstLine]
  while (start < text.length) {
    const { value: fields, end, fault } = readRecord(text, start)
    // A line feed may follow a carriage return.
    if (!isLast && (end > text.length || (end === text.length && text[end - 1] === '\r'))) break
    if (fault !== undefined || fields.some((field) => field !== '')) records.push({ line, fields, fault })
    line += text.slice(start, end).match(/\r\n|\r|\n/g)?.length ?? 0
    start = end
  }
  return { records, line, rest: text.slice(start) }
}

/** The end is behind its line break, and behind the end of the text where there is none. */
function readRecord(text: string, start: number): Part<string[]> {
  const fields: Part<string>[] = []
  let end = start
  for (;;) {
    const field = text[end] === '"' ? readQuoted(text, end) : readPlain(text, end)
    fields.push(field)
    end = field.end
    if (text[end] !== ',') break
    end += 1
  }
  const newline = text.startsWith('\r\n', end) ? 2 : 1
  return {
    value: fields.map(({ value }) => value),
    end: end + newline,
    fault: fields.find(({ fault }) => fault !== undefined)?.fault,
  }
}

function readPlain(text: string, start: number): Part<string> {
  const value = upToSeparator(text, start)
  const fault = value.includes('"') ? 'a quote in the middle of a field' : undefined
  return { value: value.trim(), end: start + value.length, fault }
}

function readQuoted(text: string, start: number): Part<string> {
  let close = text.indexOf('"', start + 1)
  // Two quotes stand for one.
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  if (close < 0) return { value: '', end: text.length, fault: 'a quote is not closed' }
  const value = text.slice(start + 1, close).replaceAll('""', '"')
  const rest = upToSeparator(text, close + 1)
  const fault = rest.trim() === '' ? undefined : 'text after a closing quote'
  return { value, end: close + 1 + rest.length, fault }
}

function upToSeparator(text: string, start: number): string {
  const plain = /[^,\r\n]*/y
  plain.lastIndex = start
  return plain.exec(text)?.[0] ?? ''
}
