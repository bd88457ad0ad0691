import { base64url } from 'jose'

import type { Activated } from '../contract/device-answers.ts'
import { fromBase32 } from '../ground/base32.ts'
import type { Random } from './options.ts'

/**
 * The secret of offline codes, encrypted under a PIN or passcode. A PIN cannot be verified offline: a wrong one decrypts to
 * other bytes, which give wrong codes. Only the service can tell, and it counts the attempts.
 */
export interface LockedSecret {
  /** Base64url, like `secret`. */
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

/** @returns the secret; with a wrong PIN, other bytes. */
export function openSecret({ secret, ...parameters }: LockedSecret, pin: string): Promise<Uint8Array<ArrayBuffer>> {
  return crypt(parameters, pin, base64url.decode(secret) as Uint8Array<ArrayBuffer>)
}

/**
 * Encrypts and decrypts. Without an authentication tag, which would reveal a wrong PIN. The counter starts at 0, as each key
 * encrypts one secret.
 */
async function crypt(
  parameters: KeyParameters,
  pin: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const counter = { name: 'AES-CTR', counter: new Uint8Array(16), length: 64 }
  return new Uint8Array(await crypto.subtle.encrypt(counter, await deriveKey(parameters, pin), bytes))
}

type KeyParameters = Pick<LockedSecret, 'salt' | 'iterations'>

async function deriveKey(parameters: KeyParameters, pin: string): Promise<CryptoKey> {
  const pinBytes = new TextEncoder().encode(pin.normalize('NFC'))
  const base = await crypto.subtle.importKey('raw', pinBytes, 'PBKDF2', false, ['deriveKey'])
  const salt = base64url.decode(parameters.salt) as Uint8Array<ArrayBuffer>
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: parameters.iterations }
  return crypto.subtle.deriveKey(derivation, base, { name: 'AES-CTR', length: 256 }, false, ['encrypt'])
}
