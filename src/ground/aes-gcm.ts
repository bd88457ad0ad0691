import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** 96 bits, random for each text (NIST SP 800-38D section 8.2.2). */
const nonceSize = 12
const tagSize = 16

/** The key of a text, and the purpose that the text is bound to. */
interface Encryption {
  /** 256 bits. A KeyObject, because bytes would take Node five times as long. */
  readonly key: KeyObject
  /** The additional data: the text cannot be decrypted as part of anything else. */
  readonly purpose: string
}

/** Encrypts with AES-256-GCM: nonce, ciphertext, tag. @param random returns that many random bytes. */
export function encrypt(text: string, { key, purpose }: Encryption, random: (size: number) => Uint8Array): Buffer {
  const nonce = random(nonceSize)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagSize }).setAAD(dataOf(purpose))
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** @throws {Error} if the bytes were changed or truncated, or encrypted with another key or for another purpose. */
export function decrypt(bytes: Buffer, { key, purpose }: Encryption): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceSize), { authTagLength: tagSize })
  decipher.setAAD(dataOf(purpose)).setAuthTag(bytes.subarray(-tagSize))
  return Buffer.concat([decipher.update(bytes.subarray(nonceSize, -tagSize)), decipher.final()]).toString('utf8')
}

const dataOf = (purpose: string) => Buffer.from(purpose)
