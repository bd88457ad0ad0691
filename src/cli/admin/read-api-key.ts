import { stat } from 'node:fs/promises'

import { isApiKey } from '../../service/admin/api-keys.ts'
import { exitCode } from '../device/exit-codes.ts'
import { Failure } from '../device/failure.ts'
import { readInput } from './read-input.ts'

/** More than a key and the end of its line have, bytes. */
const limit = 1024

/** An API key from a file: on a command line every user of the machine could read it. Never repeated in a message. */
export async function readApiKey(file: string): Promise<string> {
  const key = (await readInput(file, limit)).toString('latin1').trim()
  if (!isApiKey(key)) {
    throw new Failure(`--api-key-file: ${file}: expected an API key, which has 64 letters and digits.`, exitCode.usage)
  }
  // Read permission of the group and of others.
  if (((await stat(file)).mode & 0o044) !== 0) {
    console.error(`--api-key-file: other users of this machine can read ${file}. Run: chmod 600 ${file}`)
  }
  return key
}
