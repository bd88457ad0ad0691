import { pooledRandom } from '../../../ground/pooled-random.ts'

/** Returns this many random bytes, suitable for secrets. */
export type Random = (size: number) => Uint8Array

export const systemRandom: Random = pooledRandom

/** A new id, in the format that everything in the service has. */
export const newId = (random: Random): string => Buffer.from(random(20)).toString('hex')

/**
 * An id for one of many rows that are created over time: the time, four bytes, and 128 random bits. Ids of one second are
 * neighbors, so the database changes a few pages of its index again and again, and not any page of all.
 *
 * @param now Seconds.
 */
export function newIdOfTime(random: Random, now: number): string {
  const id = Buffer.from(random(20))
  id.writeUInt32BE(now % 2 ** 32)
  return id.toString('hex')
}

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
