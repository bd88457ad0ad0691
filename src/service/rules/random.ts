import { randomBytes } from 'node:crypto'

/** Returns this many random bytes, suitable for secrets. */
export type Random = (size: number) => Uint8Array

/** Fetched at once, bytes: one call of the system's generator takes 6 microseconds, whatever its size. */
const poolSize = 4096
let pool = randomBytes(0)
let used = 0

/** From the system's generator. No byte is returned twice, and the bytes of a caller are not changed later. */
export const systemRandom: Random = (size) => {
  if (size > pool.length - used) {
    pool = randomBytes(Math.max(poolSize, size))
    used = 0
  }
  used += size
  return pool.subarray(used - size, used)
}

/** A new id, in the format that everything in the service has. */
export const newId = (random: Random): string => Buffer.from(random(20)).toString('hex')

/**
 * An id for one of many rows that are created together: random within its own share of all ids, so that ids grow with the
 * position. A database writes neighboring rows at a fraction of the cost.
 */
export function newIdAt(random: Random, { position, count }: { position: number; count: number }): string {
  const id = Buffer.from(random(20))
  const share = 2 ** 32 / count
  id.writeUInt32BE(Math.floor(position * share + (id.readUInt32BE() / 2 ** 32) * share))
  return id.toString('hex')
}

/** A random 128-bit value, base64url. */
export const random128 = (random: Random): string => Buffer.from(random(16)).toString('base64url')

/** Random characters of an alphabet, uniformly distributed. */
export function randomText(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomBelow(random, alphabet.length))).join('')
}

/** A whole number from 0 to `bound` - 1, uniformly distributed; `bound` is at most 256. */
export function randomBelow(random: Random, bound: number): number {
  // Bytes above the last full multiple would make small numbers more likely.
  const fair = 256 - (256 % bound)
  for (;;) {
    const [byte = 0] = random(1)
    if (byte < fair) return byte % bound
  }
}
