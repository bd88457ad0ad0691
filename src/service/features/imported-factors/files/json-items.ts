import { FileProblem } from '../../hardware/files/file-problem.ts'

/** One object of a JSON file. */
export interface JsonItem {
  /** The line that the object begins in, from 1. */
  readonly line: number
  /** Undefined where it is not valid JSON. */
  readonly value: unknown
}

/** The longest object, characters: a person with many credentials has a few thousand. */
const maxItemLength = 64 * 1024

/** The longest name that a member with the objects can have. */
const maxNameLength = 32

/**
 * Yields the objects of a file as its text arrives: JSON lines, an array, or the member `member` of one object.
 * @throws {FileProblem} for other text. It never quotes the text.
 */
export async function* jsonItems(pieces: AsyncIterable<string>, member?: string): AsyncGenerator<readonly JsonItem[]> {
  const scanner = createScanner(member)
  for await (const piece of pieces) yield scanner.read(piece)
  scanner.end()
}

function createScanner(member: string | undefined) {
  /** The depth at which objects are items; undefined while it is not known, and outside of the member. */
  let itemDepth: number | undefined
  let [depth, line, firstLine] = [0, 1, 1]
  let [inString, escaped] = [false, false]
  /** The text of the current item so far; undefined outside of items. */
  let item: string | undefined
  /** The last text of the outer object: a name, where a colon follows. */
  let name = ''

  const begin = (character: string, offset: number): number | undefined => {
    depth += 1
    if (item !== undefined) return undefined
    if (member === undefined) itemDepth ??= character === '[' ? 1 : 0
    else if (depth === 2 && character === '[' && name === member) itemDepth = 2
    if (itemDepth === undefined || depth !== itemDepth + 1) return undefined
    if (character === '[') throw notItems(line)
    firstLine = line
    item = ''
    return offset
  }

  function read(piece: string): JsonItem[] {
    const items: JsonItem[] = []
    let start = item === undefined ? undefined : 0
    for (let offset = 0; offset < piece.length; offset += 1) {
      const character = piece.charAt(offset)
      if (character === '\n') line += 1
      if (inString) {
        if (escaped) escaped = false
        else if (character === '\\') escaped = true
        else if (character === '"') inString = false
        if (inString && depth === 1 && item === undefined && name.length < maxNameLength) name += character
      } else if (character === '"') {
        if (item === undefined && depth === itemDepth) throw notItems(line)
        if (depth === 0) throw notItems(line)
        inString = true
        if (depth === 1) name = ''
      } else if (character === '{' || character === '[') start = begin(character, offset) ?? start
      else if (character === '}' || character === ']') {
        depth -= 1
        if (depth < 0) throw notItems(line)
        if (item !== undefined && depth === itemDepth) {
          items.push({ line: firstLine, value: parse(item + piece.slice(start, offset + 1)) })
          item = start = undefined
        } else if (item === undefined && itemDepth === 2 && depth === 1) itemDepth = undefined
      } else if (item === undefined && (depth === 0 || depth === itemDepth) && !/[\s,\ufeff]/.test(character)) {
        throw notItems(line)
      }
    }
    if (item !== undefined) item += piece.slice(start)
    if ((item?.length ?? 0) > maxItemLength)
      throw new FileProblem(`The object at line ${firstLine} is longer than 65,536 characters. Check its brackets.`)
    return items
  }

  return {
    read,
    end() {
      if (depth > 0 || inString) throw new FileProblem('The file ends in the middle of its JSON. Export it again.')
    },
  }
}

const notItems = (line: number) =>
  new FileProblem(`Line ${line} is not JSON as it is read here: objects, one a line, or in one array.`)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
