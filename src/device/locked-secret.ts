import { base64url } from 'jose'

import type { Activated } from '../contract/device.ts'
import { fromBase32 } from './base32.ts'
import type { Random } from './options.ts'

/**
 * The secret of offline codes under a PIN or passcode. There is nothing to check that against: each opens it, and makes
 * codes of what comes out; whether they are right only the service can tell, which counts the tries.
 */
export interface LockedSecret {
  /** Base64url, both. */
  readonly salt: string
  readonly secret: string
  readonly iterations: number
}

/** OWASP's password storage cheat sheet, for PBKDF2 with SHA-256; about 0.1 s on a computer. */
const iterations = 600_000

export async function lockSecret(
  random: Random,
  { secret }: Pick<Activated['codes'], 'secret'>,
  pin: string,
): Promise<LockedSecret> {
  const salt = base64url.encode(random(16))
  const locked = await crypt({ salt, iterations }, pin, fromBase32(secret))
  return { salt, iterations, secret: base64url.encode(locked) }
}

/** @returns the secret, or with another PIN other bytes. */
export function openSecret({ secret, ...by }: LockedSecret, pin: string): Promise<Uint8Array<ArrayBuffer>> {
  return crypt(by, pin, base64url.decode(secret) as Uint8Array<ArrayBuffer>)
}

/** Both ways. Without a tag, as that would tell a wrong PIN; the counter may begin at 0, as each key is used for one secret. */
async function crypt(
  by: Pick<LockedSecret, 'salt' | 'iterations'>,
  pin: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const counter = { name: 'AES-CTR', counter: new Uint8Array(16), length: 64 }
  return new Uint8Array(await crypto.subtle.encrypt(counter, await keyOf(by, pin), bytes))
}

async function keyOf(by: Pick<LockedSecret, 'salt' | 'iterations'>, pin: string): Promise<CryptoKey> {
  const typed = new TextEncoder().encode(pin.normalize('NFC'))
  const base = await crypto.subtle.importKey('raw', typed, 'PBKDF2', false, ['deriveKey'])
  const salt = base64url.decode(by.salt) as Uint8Array<ArrayBuffer>
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: by.iterations }
  return crypto.subtle.deriveKey(derivation, base, { name: 'AES-CTR', length: 256 }, false, ['encrypt'])
}
