import type { FactorRow } from '../../service/features/imported-factors/files/factor-row.ts'
import type { FileBytes } from '../../service/features/hardware/files/file-text.ts'
import { readFactors as readFile } from '../../service/features/imported-factors/files/read-factors.ts'
import type { FactorFileSettings } from '../../service/features/imported-factors/files/read-factors.ts'
import { asFailure } from './as-failure.ts'

/** Enough for the apps and recovery codes of more than 100,000 people, bytes. */
export const factorsLimit = 128 * 1024 * 1024

/** Reads the factors of people from a file. @throws {Failure} in the words of the command. */
export async function* readFactors(
  file: FileBytes,
  settings: FactorFileSettings,
): AsyncGenerator<readonly FactorRow[]> {
  try {
    yield* readFile(file, settings)
  } catch (error) {
    throw asFailure(error)
  }
}
