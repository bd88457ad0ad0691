import { randomBytes } from 'node:crypto'

/** So many random bytes, fit for secrets. */
export type Random = (size: number) => Uint8Array

export const systemRandom: Random = (size) => randomBytes(size)

/** An id as everything in the service has one. */
export const newId = (random: Random): string => Buffer.from(random(20)).toString('hex')

/**
 * An id for one of many things that are made together: random within its own share of all ids, so that they grow with
 * the position. A database writes what is close together at a fraction of the cost.
 */
export function newIdAt(random: Random, { position, count }: { position: number; count: number }): string {
  const id = Buffer.from(random(20))
  const share = 2 ** 32 / count
  id.writeUInt32BE(Math.floor(position * share + (id.readUInt32BE() / 2 ** 32) * share))
  return id.toString('hex')
}

/** A random 128-bit value, base64url. */
export const random128 = (random: Random): string => Buffer.from(random(16)).toString('base64url')

/** Characters of an alphabet, each as likely as the others. */
export function randomText(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomBelow(random, alphabet.length))).join('')
}

/** A whole number from 0 to `bound` - 1, each as likely as the others; `bound` at most 256. */
export function randomBelow(random: Random, bound: number): number {
  // Bytes from an incomplete last round would make small numbers likelier.
  const fair = 256 - (256 % bound)
  for (;;) {
    const [byte = 0] = random(1)
    if (byte < fair) return byte % bound
  }
}
