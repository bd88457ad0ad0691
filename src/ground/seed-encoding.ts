/** How the seeds of a file are written. */
export const seedEncodings = ['hex', 'base32'] as const
export type SeedEncoding = (typeof seedEncodings)[number]

/** @returns the seed in hexadecimal; undefined for text that is not in this encoding. Blanks and hyphens between groups do not count. */
export function hexSeed(text: string, encoding: SeedEncoding): string | undefined {
  // The longest seed has 128 digits. Longer text would be read in quadratic time.
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
  return isWhole && /^[A-Z2-7]+$/.test(letters) ? hexOf(letters) : undefined
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Decodes Base32 (RFC 4648 section 6). Not by `otpauth`: what only reads an address need not load it. */
function hexOf(letters: string): string {
  let hex = ''
  let [value, bits] = [0, 0]
  for (const letter of letters) {
    value = (value << 5) | alphabet.indexOf(letter)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    hex += (value >> bits).toString(16).padStart(2, '0')
    value &= (1 << bits) - 1
  }
  return hex
}
