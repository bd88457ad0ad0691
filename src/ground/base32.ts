const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Reads base32 (RFC 4648 section 6), with or without its padding. @throws {TypeError} */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> {
  const digits = Array.from(text.replace(/=+$/, ''), (character) => alphabet.indexOf(character))
  if (digits.includes(-1)) throw new TypeError('not base32')
  const bits = digits.map((digit) => digit.toString(2).padStart(5, '0')).join('')
  const bytes = bits.match(/.{8}/g) ?? []
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2))
}

export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const digits = bits.match(/.{1,5}/g) ?? []
  return digits.map((digit) => alphabet.charAt(Number.parseInt(digit.padEnd(5, '0'), 2))).join('')
}
