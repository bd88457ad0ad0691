import { createSecretKey, hkdfSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** A key of the ring. Encrypted values contain its id, so that its key is found after others were added. */
export interface RingKey {
  readonly id: string
  /** The 32 bytes as in the key file; only for writing that file. */
  readonly secret: Buffer
  /** The key for AES-256-GCM. */
  readonly encryption: KeyObject
  /** The key for HMAC-SHA-256, of values that are looked up without being readable. */
  readonly lookup: KeyObject
}

/** The keys of a service. The first one encrypts; all of them decrypt. */
export interface KeyRing {
  readonly primary: RingKey
  readonly keys: readonly RingKey[]
}

/** 256 bits, for AES-256. */
export const keySize = 32

/**
 * Parses a ring in the form `id:base64,id:base64`, the first key primary.
 * @throws {TypeError} that says what is wrong and never repeats a key.
 */
export function parseKeyRing(text: string): KeyRing {
  const keys = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry, index) => parseKey(entry, index + 1))
  const [primary] = keys
  if (!primary)
    throw new TypeError('The keys are empty: expected id:base64, such as the output of `openssl rand -base64 32`')
  const ids = new Set(keys.map(({ id }) => id))
  if (ids.size < keys.length) throw new TypeError('The keys contain an id twice: give each key its own id')
  return Object.freeze({ primary, keys: Object.freeze(keys) })
}

/** A key in its text form. */
export function formatKey(id: string, secret: Uint8Array): string {
  return `${id}:${Buffer.from(secret).toString('base64')}`
}

function parseKey(entry: string, position: number): RingKey {
  const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/.exec(entry) ?? []
  if (id === undefined || encoded === undefined) {
    throw new TypeError(`Key ${position}: invalid, expected id:base64, with an id of letters, digits, - and _`)
  }
  const secret = Buffer.from(encoded, 'base64')
  if (secret.length !== keySize) throw new TypeError(`Key "${id}" has ${secret.length} bytes: it must have ${keySize}`)
  return Object.freeze({ id, secret, encryption: derive(secret, 'encryption'), lookup: derive(secret, 'lookup') })
}

/** Derives one key per purpose from one secret (RFC 5869). With a key as bytes, an HMAC in Node takes six times as long. */
function derive(secret: Buffer, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `second-factor ${purpose}`, keySize)))
}

/** The keys do not match the database. The message says what to do, and contains no key. */
export class KeysError extends Error {
  override readonly name = 'KeysError'
}
