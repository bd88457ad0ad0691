import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

/**
 * Keeps a secret where others may read it: web sessions lie in databases, some in cookies. The key comes from the API key,
 * so that every node of the app has it, and whoever has it could do far more with that.
 */
export interface Sealer {
  /** @param of whose and what it is; as anything else it does not open. @param random answers so many random bytes. */
  seal(secret: string, of: string, random: (size: number) => Uint8Array): string
  /** @returns nothing where it was changed, is something else's, or was sealed under another API key. */
  open(sealed: string, of: string): string | undefined
}

/** 96 bits, drawn anew each time (NIST SP 800-38D section 8.2.2). */
const nonceSize = 12
const tagSize = 16

export function createSealer(apiKey: string): Sealer {
  const key = new Uint8Array(hkdfSync('sha256', apiKey, '', 'second-factor: secrets in web sessions', 32))
  return Object.freeze({
    seal(secret, of, random) {
      const nonce = random(nonceSize)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagSize }).setAAD(Buffer.from(of))
      const sealed = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat(sealed).toString('base64url')
    },
    open(sealed, of) {
      const bytes = Buffer.from(sealed, 'base64url')
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceSize), { authTagLength: tagSize })
        decipher.setAAD(Buffer.from(of)).setAuthTag(bytes.subarray(-tagSize))
        const text = decipher.update(bytes.subarray(nonceSize, -tagSize))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch {
        // Why it does not open makes no difference: it is made anew.
        return undefined
      }
    },
  } satisfies Sealer)
}
