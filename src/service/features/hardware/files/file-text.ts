import { nextTurn } from '../../../engine/base/next-turn.ts'
import { FileProblem } from './file-problem.ts'

/** The bytes of a file, as they arrive. */
export type FileBytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** A step of reading: parsing so much takes a few milliseconds, whatever it contains. Bytes. */
export const stepBytes = 8 * 1024

/**
 * Decodes UTF-8, or UTF-16 that begins with its byte order mark, in steps. Other requests run between two steps.
 * @param advice How to save the file instead.
 * @throws {FileProblem} for other text, and for formats that are told by their beginning.
 */
export async function* textOf(file: FileBytes, advice: string): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  const decode = (bytes: Uint8Array | undefined) => {
    decoder ??= new TextDecoder(encodingOf(bytes, advice), { fatal: true })
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (cause) {
      throw new FileProblem(`The file is not UTF-8 text. ${advice}`, 'content', { cause })
    }
  }
  for await (const bytes of file) {
    for (let start = 0; start < bytes.length; start += stepBytes) {
      yield decode(bytes.subarray(start, start + stepBytes))
      await nextTurn()
    }
  }
  yield decode(undefined)
}

/** The first bytes tell it (Unicode 16.0 section 23.8). Spreadsheets and archives are ZIP files. */
function encodingOf(bytes: Uint8Array | undefined, advice: string): string {
  const [first, second, third] = bytes ?? []
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0x50 && second === 0x4b && third !== undefined && third < 9)
    throw new FileProblem(`The file is a spreadsheet or an archive. ${advice}`)
  if (first === 0 || second === 0) throw new FileProblem(`The file is UTF-16 without a byte order mark. ${advice}`)
  return 'utf-8'
}
