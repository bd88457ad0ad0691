import { Failure } from '../device/failure.ts'

/** UTF-8, without the mark that some programs begin it with. @param advice How to save the file instead. */
export function decodeText(bytes: Buffer, advice: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Failure(`The file is not text in UTF-8. ${advice}`, undefined, { cause })
  }
}
