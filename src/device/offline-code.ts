import type { Activated } from '../contract/device.ts'
import type { Account } from './account.ts'
import { fromBase32, toBase32 } from './base32.ts'
import { openSecret } from './locked-secret.ts'

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

/** As much of an account as codes are made from. */
export type CodeSource = Pick<Account, 'codeSecret' | 'lockedSecret' | 'clockOffset'>

/**
 * The code of this moment (RFC 6238).
 * @param now Unix time by this device's clock; how far that is off, the account knows.
 * @param pin Where the account `asksFor` one. A wrong one makes a code, too: only the service can tell.
 * @returns nothing for an account from before there were codes, or without its PIN.
 */
export async function currentCode(source: CodeSource, now: number, pin?: string): Promise<OfflineCode | undefined> {
  const { codeSecret, clockOffset } = await unlockCodes(source, pin)
  if (!codeSecret) return undefined
  const step = Math.floor((now + clockOffset) / period)
  const mac = await crypto.subtle.sign(algorithm.name, codeSecret, counter(step))
  return { code: truncate(new DataView(mac)), expiresAt: (step + 1) * period - clockOffset }
}

/** Brings an account to where it makes one code after the other, without its PIN being kept. Takes its time. */
export async function unlockCodes(source: CodeSource, pin: string | undefined): Promise<CodeSource> {
  if (source.codeSecret || !source.lockedSecret || pin === undefined) return source
  const secret = await openSecret(source.lockedSecret, pin)
  const codeSecret = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  return { codeSecret, clockOffset: source.clockOffset }
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
