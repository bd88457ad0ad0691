import type { Activated } from '../contract/device.ts'
import type { Account } from './account.ts'
import { fromBase32, toBase32 } from './base32.ts'

/** As the contract has it: see `Activated`. */
const digits = 6
const period = 30

const algorithm = { name: 'HMAC', hash: 'SHA-1' } as const

/** A code to be typed where the device cannot be reached. */
export interface OfflineCode {
  readonly code: string
  /** Unix time, seconds, by this device's clock: from then on there is another one. */
  readonly expiresAt: number
}

/**
 * The code of this moment (RFC 6238).
 * @param now Unix time by this device's clock; how far that is off, the account knows.
 * @returns nothing for an account from before there were codes.
 */
export async function currentCode(account: Account, now: number): Promise<OfflineCode | undefined> {
  if (!account.codeSecret) return undefined
  const step = Math.floor((now + account.clockOffset) / period)
  const mac = await crypto.subtle.sign(algorithm.name, account.codeSecret, counter(step))
  return { code: truncate(new DataView(mac)), expiresAt: (step + 1) * period - account.clockOffset }
}

/** Keeps the secret as a key: in a browser it can be used, and read out by nobody. */
export async function importCodeSecret(
  { secret }: Pick<Activated['codes'], 'secret'>,
  extractable: boolean,
): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', fromBase32(secret), algorithm, extractable, ['sign'])
}

/** The secret in base32, for a place that keeps files. @throws when the key was made not to be extracted. */
export async function exportCodeSecret(key: CryptoKey): Promise<string> {
  return toBase32(new Uint8Array(await crypto.subtle.exportKey('raw', key)))
}

function counter(step: number): ArrayBuffer {
  const bytes = new DataView(new ArrayBuffer(8))
  bytes.setBigUint64(0, BigInt(step))
  return bytes.buffer
}

/** Dynamic truncation (RFC 4226 section 5.3). */
function truncate(mac: DataView): string {
  const offset = mac.getUint8(mac.byteLength - 1) & 0xf
  const number = mac.getUint32(offset) & 0x7f_ff_ff_ff
  return String(number % 10 ** digits).padStart(digits, '0')
}
