import * as OTPAuth from 'otpauth'

import type { FactorRow, ReadFactors } from '../../../../../src/service/features/imported-factors/files/factor-row.ts'
import { readFactors } from '../../../../../src/service/features/imported-factors/files/read-factors.ts'
import type { FactorFileSettings } from '../../../../../src/service/features/imported-factors/files/read-factors.ts'
import { all } from '../../hardware/files/pieces.ts'

/** Bytes of a file that arrive in pieces, which end anywhere. */
function* bytesOf(text: string, size = 7): Generator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

/** The rows of a file. */
export const read = (text: string, settings: FactorFileSettings = {}): Promise<FactorRow[]> =>
  all(readFactors(bytesOf(text), settings))

/** The only row of a file, which must be readable. */
export async function readOne(text: string, settings: FactorFileSettings = {}): Promise<ReadFactors> {
  const [row, ...others] = await read(text, settings)
  if (!row || 'reason' in row || others.length > 0) throw new Error(`no row: ${JSON.stringify(row)}`)
  return row
}

/** The reasons why rows of a file are rejected. */
export const reasons = async (text: string, settings: FactorFileSettings = {}): Promise<(string | undefined)[]> =>
  (await read(text, settings)).map((row) => ('reason' in row ? row.reason : undefined))

/** The code that an app shows, computed by another implementation. */
export function codeOf({ app: { seed, ...parameters } }: Pick<ReadFactors, 'app'>, seconds: number): string {
  return new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromHex(seed), ...parameters }).generate({
    timestamp: seconds * 1000,
  })
}
