import { ApiProblem } from '../base/problem.ts'
import { parseJson } from './parse-json.ts'

/** The size of a batch: some milliseconds of work. Characters. */
const usualSlice = 64 * 1024

/** The longest element; characters. */
const maxElementLength = 64 * 1024

/** Yields the elements of a JSON array in batches: parsing 16 MiB at once would block the event loop. */
export function* parseRows(text: string, sliceSize = usualSlice): Generator<readonly unknown[]> {
  const start = skipBlanks(text, 0)
  if (text[start] !== '[') throw noArray(text)
  let from = start + 1
  const first = skipBlanks(text, from)
  if (text[first] === ']' && skipBlanks(text, first + 1) === text.length) return
  for (const to of boundaries(text, from, sliceSize)) {
    const rows = parseJson(`[${text.slice(from, to)}]`) as unknown[]
    // There must be an element between two commas.
    if (rows.length === 0) throw malformed()
    yield rows
    from = to + 1
  }
  if (skipBlanks(text, from) !== text.length) throw malformed()
}

/** Positions at which the array can be split: commas between elements, and its end. */
function* boundaries(text: string, start: number, sliceSize: number): Generator<number> {
  let depth = 0
  let from = start
  let comma = start
  for (let at = start; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) at = endOfString(text, at)
    else if (character === openBracket || character === openBrace) depth += 1
    else if (character === closeBracket || character === closeBrace) depth -= 1
    const isEnd = depth < 0
    if (!isEnd && (depth > 0 || character !== commaSign)) continue
    if (at - comma > maxElementLength)
      throw new ApiProblem('api.error.malformed', 'An element of the array is longer than 65,536 characters.')
    if (isEnd && character !== closeBracket) throw malformed()
    if (isEnd || at - from >= sliceSize) {
      yield at
      from = at + 1
    }
    if (isEnd) return
    comma = at
  }
  throw malformed()
}

const [quote, backslash, commaSign] = [0x22, 0x5c, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The end of the string that starts here, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ;) {
    const end = text.indexOf('"', at)
    if (end < 0) return text.length
    if (!isEscaped(text, end)) return end
    at = end + 1
  }
}

function isEscaped(text: string, quoteAt: number): boolean {
  let at = quoteAt
  while (text.charCodeAt(at - 1) === backslash) at -= 1
  return (quoteAt - at) % 2 === 1
}

function skipBlanks(text: string, start: number): number {
  let at = start
  while (/[ \t\n\r]/.test(text.charAt(at))) at += 1
  return at
}

/** Tells valid JSON that is not an array from invalid JSON. Long texts are not parsed for this. */
function noArray(text: string): ApiProblem {
  if (text.length <= maxElementLength) parseJson(text)
  return new ApiProblem('api.error.invalid.users', 'users: expected an array.')
}

const malformed = () => new ApiProblem('api.error.malformed', 'The body must be JSON.')
