import { exitCode } from '../device/exit-codes.ts'
import { Failure } from '../device/failure.ts'
import { readInput } from './read-input.ts'

/** More than any key or seed in hexadecimal has, bytes. */
const limit = 1024

/** Hexadecimal digits as they are given, or from a file: `@FILE`. Never repeated in a message. */
export async function readHex(given: string, option: string, lengths: (digits: number) => boolean): Promise<string> {
  const text = given.startsWith('@') ? (await readInput(given.slice(1), limit)).toString('latin1') : given
  const digits = text.replace(/\s/g, '')
  if (/^[0-9a-f]*$/i.test(digits) && lengths(digits.length)) return digits
  throw new Failure(`What ${option} gives is not what it has to be. See --help.`, exitCode.usage)
}
