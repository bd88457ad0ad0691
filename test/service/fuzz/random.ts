/** Chance that comes out the same each time, so that what it found can be found again. */
export interface Chance {
  /** From 0, below `limit`. */
  number(limit: number): number
  pick<T>(from: readonly T[]): T
  /** @param share Of 1. */
  maybe(share: number): boolean
}

/** Mulberry32: 32 bits of state are plenty for a test. */
export function createChance(seed: number): Chance {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const number = (limit: number) => Math.floor(next() * limit)
  return { number, pick: (from) => from[number(from.length)]!, maybe: (share) => next() < share }
}
