import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'

import type { Random } from '../rules/random.ts'
import type { KeyRing, RingKey } from './key-ring.ts'

/** 96 bits, random for each value (NIST SP 800-38D section 8.2.2). */
const nonceSize = 12
const tagSize = 16

/** A sealed value cannot be opened: it was changed, belongs to another record, or its key is not in the ring. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError'
}

/**
 * Encrypts a secret for one record: `key id.base64url(nonce, ciphertext, tag)`, AES-256-GCM.
 * @param record What it belongs to; the value cannot be opened in another record.
 */
export function seal({ primary }: KeyRing, random: Random, secret: string, record: string): string {
  const nonce = random(nonceSize)
  const cipher = createCipheriv('aes-256-gcm', primary.encryption, nonce, { authTagLength: tagSize })
  cipher.setAAD(recordData(record))
  const sealed = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return `${primary.id}.${Buffer.concat(sealed).toString('base64url')}`
}

/** @throws {UnsealError} */
export function unseal(ring: KeyRing, sealed: string, record: string): string {
  const { key, bytes } = take(ring, sealed)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.encryption, bytes.subarray(0, nonceSize), {
      authTagLength: tagSize,
    })
    decipher.setAAD(recordData(record))
    decipher.setAuthTag(bytes.subarray(-tagSize))
    const text = decipher.update(bytes.subarray(nonceSize, -tagSize))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new UnsealError('A sealed value was changed or belongs to another record.', { cause })
  }
}

/** The additional data of AES-GCM: a value copied to another record does not open there. */
const recordData = (record: string) => Buffer.from(record)

/** Whether a value is sealed with the primary key; if not, it has to be resealed. */
export function isCurrent({ primary }: KeyRing, sealed: string): boolean {
  return sealed.startsWith(`${primary.id}.`)
}

/** A lookup for a secret that does not reveal it: `key id.base64url(HMAC-SHA-256)`. */
export function lookupWith(key: RingKey, secret: string): string {
  return `${key.id}.${createHmac('sha256', key.lookup).update(secret).digest('base64url')}`
}

function take(ring: KeyRing, sealed: string): { key: RingKey; bytes: Buffer } {
  const dot = sealed.indexOf('.')
  const id = sealed.slice(0, dot)
  const key = ring.keys.find((candidate) => candidate.id === id)
  if (dot < 1 || !key) throw new UnsealError('A sealed value names a key that is not in the ring.')
  const bytes = Buffer.from(sealed.slice(dot + 1), 'base64url')
  if (bytes.length < nonceSize + tagSize) throw new UnsealError('A sealed value is truncated.')
  return { key, bytes }
}
