import { nextTurn } from '../../../engine/base/next-turn.ts'
import { FileProblem } from './file-problem.ts'

/** The bytes of a file, as they arrive. */
export type FileBytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** A step of reading: parsing so much takes a few milliseconds, whatever it contains. Bytes. */
export const stepBytes = 8 * 1024

/**
 * Decodes UTF-8 in steps, without the byte order mark that some programs add. Other requests run between two steps.
 * @param advice How to save the file instead.
 */
export async function* textOf(file: FileBytes, advice: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes: Uint8Array | undefined) => {
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
