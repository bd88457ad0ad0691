import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

/**
 * Encrypts secrets in web sessions, which are stored in databases or cookies. The key is derived from the API key: every node
 * of the app has that, and an attacker who has it could do far more anyway.
 */
export interface Sealer {
  /** @param purpose names secret and owner; `open` requires the same. @param random returns that many random bytes. */
  seal(secret: string, purpose: string, random: (size: number) => Uint8Array): string
  /** @returns undefined if it was changed, or sealed for another purpose or under another API key. */
  open(sealed: string, purpose: string): string | undefined
}

/** 96 random bits for each message (NIST SP 800-38D section 8.2.2). */
const nonceSize = 12
const tagSize = 16

export function createSealer(apiKey: string): Sealer {
  const key = new Uint8Array(hkdfSync('sha256', apiKey, '', 'second-factor: secrets in web sessions', 32))
  return Object.freeze({
    seal(secret, purpose, random) {
      const nonce = random(nonceSize)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagSize }).setAAD(Buffer.from(purpose))
      const sealed = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat(sealed).toString('base64url')
    },
    open(sealed, purpose) {
      const bytes = Buffer.from(sealed, 'base64url')
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceSize), { authTagLength: tagSize })
        decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-tagSize))
        const text = decipher.update(bytes.subarray(nonceSize, -tagSize))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch {
        // Whatever the reason, the caller creates a new secret.
        return undefined
      }
    },
  } satisfies Sealer)
}
