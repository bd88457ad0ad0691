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

/** Parses CSV (RFC 4180) with any line breaks. Skips empty lines, and trims fields without quotes. */
export function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = []
  let line = 1
  for (let start = 0; start < text.length;) {
    const { value: fields, end, fault } = readRecord(text, start)
    if (fault !== undefined || fields.some((field) => field !== '')) records.push({ line, fields, fault })
    line += text.slice(start, end).match(/\r\n|\r|\n/g)?.length ?? 0
    start = end
  }
  return records
}

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

/** Decodes UTF-8, without the byte order mark that some programs add. @param advice How to save the file instead. */
export function decodeText(bytes: Buffer, advice: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new FileProblem(`The file is not UTF-8 text. ${advice}`, 'content', { cause })
  }
}
