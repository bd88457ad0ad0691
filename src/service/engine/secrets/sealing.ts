import { createHmac } from 'node:crypto'

import { decrypt, encrypt } from '../../../ground/aes-gcm.ts'
import type { Random } from '../base/random.ts'
import type { KeyRing, RingKey } from './key-ring.ts'

/** A sealed value cannot be opened: it was changed, belongs to another record, or its key is not in the ring. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError'
}

/**
 * Encrypts a secret for one record: `key id.base64url(nonce, ciphertext, tag)`, AES-256-GCM.
 * @param record What it belongs to; the value cannot be opened in another record.
 */
export function seal({ primary }: KeyRing, random: Random, secret: string, record: string): string {
  const bytes = encrypt(secret, { key: primary.encryption, purpose: record }, random)
  return `${primary.id}.${bytes.toString('base64url')}`
}

/** @throws {UnsealError} */
export function unseal(ring: KeyRing, sealed: string, record: string): string {
  const dot = sealed.indexOf('.')
  const key = ring.keys.find(({ id }) => id === sealed.slice(0, dot))
  if (dot < 1 || !key) throw new UnsealError('A sealed value names a key that is not in the ring.')
  try {
    return decrypt(Buffer.from(sealed.slice(dot + 1), 'base64url'), { key: key.encryption, purpose: record })
  } catch (cause) {
    throw new UnsealError('A sealed value was changed or belongs to another record.', { cause })
  }
}

/** Whether a value is sealed with the primary key; if not, it has to be resealed. */
export function isCurrent({ primary }: KeyRing, sealed: string): boolean {
  return sealed.startsWith(`${primary.id}.`)
}

/** A lookup for a secret that does not reveal it: `key id.base64url(HMAC-SHA-256)`. */
export function lookupWith(key: RingKey, secret: string): string {
  return `${key.id}.${createHmac('sha256', key.lookup).update(secret).digest('base64url')}`
}
