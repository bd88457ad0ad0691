import type { ImportRow } from '../../service/features/hardware/files/import-row.ts'
import type { FileBytes } from '../../service/features/hardware/files/file-text.ts'
import { readTokens as readFile } from '../../service/features/hardware/files/read-tokens.ts'
import type { FileSettings } from '../../service/features/hardware/files/read-tokens.ts'
import { asFailure } from './as-failure.ts'

/** Enough for more than 30,000 tokens in either format, bytes. */
export const importLimit = 16 * 1024 * 1024

/** Reads a file of hardware tokens in either format. @throws {Failure} in the words of the command. */
export async function* readTokens(file: FileBytes, settings: FileSettings = {}): AsyncGenerator<readonly ImportRow[]> {
  try {
    yield* readFile(file, settings)
  } catch (error) {
    throw asFailure(error)
  }
}
