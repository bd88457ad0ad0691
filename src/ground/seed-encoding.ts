import { fromBase32 } from './base32.ts'

/** How the seeds of a file are written. */
export const seedEncodings = ['hex', 'base32'] as const
export type SeedEncoding = (typeof seedEncodings)[number]

/** @returns the seed in hexadecimal; undefined for text that is not in this encoding. Blanks and hyphens between groups do not count. */
export function hexSeed(text: string, encoding: SeedEncoding): string | undefined {
  // The longest seed has 128 digits. Reading megabytes would keep all other requests waiting for seconds.
  if (text.length > 512) return undefined
  const compact = text.replace(/[\s-]/g, '')
  if (encoding === 'hex') {
    const digits = compact.replace(/^0x/i, '')
    return /^(?:[0-9a-f]{2})+$/i.test(digits) ? digits : undefined
  }
  const [letters = '', ...padding] = compact.toUpperCase().split('=')
  if (padding.some((part) => part !== '')) return undefined
  // No other number of characters is a number of bytes (RFC 4648 section 6): a character is missing.
  const isWhole = [0, 2, 4, 5, 7].includes(letters.length % 8)
  return isWhole && /^[A-Z2-7]+$/.test(letters) ? hexOf(fromBase32(letters)) : undefined
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
