import type { ImportRow } from '../../service/admin/hardware-import.ts'
import { readTokens as readFile } from '../../service/import/read-tokens.ts'
import { asFailure } from './as-failure.ts'

/** Enough for more than 30,000 tokens in either format, bytes. */
export const importLimit = 16 * 1024 * 1024

/** Reads a file of hardware tokens in either format. @throws {Failure} in the words of the command. */
export function readTokens(bytes: Buffer, key: Buffer | undefined): Promise<ImportRow[]> {
  return readFile(bytes, key).catch((error: unknown) => {
    throw asFailure(error)
  })
}
