/** Numbers that look random and are the same in each run. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  /** Mulberry32: 32 bits, without a short period. */
  const word = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const fraction = (): number => word() / 2 ** 32
  return {
    fraction,
    /** A whole number, from `min` to `max`. */
    between: (min: number, max: number): number => min + Math.floor(fraction() * (max - min + 1)),
    chance: (probability: number): boolean => fraction() < probability,
    pick<T>(from: readonly T[]): T {
      const picked = from[Math.floor(fraction() * from.length)]
      if (picked === undefined) throw new RangeError('nothing to pick from')
      return picked
    },
    /** An id, in the format of the service. */
    id: (): string => Array.from({ length: 5 }, () => word().toString(16).padStart(8, '0')).join(''),
    bytes: (size: number): Uint8Array => Uint8Array.from({ length: size }, () => word() & 0xff),
  }
}

export type SeededRandom = ReturnType<typeof createRandom>
