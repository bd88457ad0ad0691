import { createSecretKey, hkdfSync } from 'node:crypto'

import { decrypt, encrypt } from '../ground/aes-gcm.ts'

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

export function createSealer(apiKey: string): Sealer {
  const bytes = hkdfSync('sha256', apiKey, '', 'second-factor: secrets in web sessions', 32)
  const key = createSecretKey(Buffer.from(bytes))
  return Object.freeze({
    seal: (secret, purpose, random) => encrypt(secret, { key, purpose }, random).toString('base64url'),
    open(sealed, purpose) {
      try {
        return decrypt(Buffer.from(sealed, 'base64url'), { key, purpose })
      } catch {
        // Whatever the reason, the caller creates a new secret.
        return undefined
      }
    },
  } satisfies Sealer)
}
