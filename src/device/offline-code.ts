import type { Activated } from '../contract/device-answers.ts'
import type { Account } from './account.ts'
import { fromBase32, toBase32 } from '../ground/base32.ts'
import { openSecret } from './locked-secret.ts'

/** The same value as in `Activated` of the contract. */
const digits = 6
const period = 30

const algorithm = { name: 'HMAC', hash: 'SHA-1' } as const

/** A code to type when the device has no connection. */
export interface OfflineCode {
  readonly code: string
  /** The start of the next code: Unix time by this device's clock, seconds. */
  readonly expiresAt: number
}

/** The part of an account that generates codes. */
export type CodeSource = Pick<Account, 'codeSecret' | 'lockedSecret' | 'clockOffset'>

/**
 * Generates the current code (RFC 6238).
 * @param now Unix time by this device's clock, seconds; the account has its offset from the service.
 * @param pin Needed where `requiredSecret(account)` says so. A wrong PIN gives a wrong code: only the service can tell.
 * @returns undefined for an old account without codes, or without its PIN.
 */
export async function currentCode(source: CodeSource, now: number, pin?: string): Promise<OfflineCode | undefined> {
  const { codeSecret, clockOffset } = await unlockCodes(source, pin)
  if (!codeSecret) return undefined
  const step = Math.floor((now + clockOffset) / period)
  const mac = await crypto.subtle.sign(algorithm.name, codeSecret, counter(step))
  return { code: truncate(new DataView(mac)), expiresAt: (step + 1) * period - clockOffset }
}

/** Decrypts the secret of an account, so that it generates codes without storing the PIN. Takes about 0.1 s. */
export async function unlockCodes(source: CodeSource, pin: string | undefined): Promise<CodeSource> {
  if (source.codeSecret || !source.lockedSecret || pin === undefined) return source
  const secret = await openSecret(source.lockedSecret, pin)
  const codeSecret = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  return { codeSecret, clockOffset: source.clockOffset }
}

/** Imports the secret as a key, which a browser can use but not export. */
export async function importCodeSecret(
  { secret }: Pick<Activated['codes'], 'secret'>,
  extractable: boolean,
): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', fromBase32(secret), algorithm, extractable, ['sign'])
}

/** The secret in base32, to save it in a file. @throws when the key is not extractable. */
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
