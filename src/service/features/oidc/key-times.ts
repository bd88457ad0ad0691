const day = 24 * 60 * 60

/** How long a key is published before it signs, seconds. Clients read the keys again after a day at the latest. */
export const publishedBefore = 2 * day

/** How long a key stays published after the next one has taken over, seconds: longer than anything that it has signed is valid. */
export const keptAfter = 14 * day

/** The times of a key. */
export interface KeyTimes {
  readonly generation: number
  /** The key of the ring that it was made under. */
  readonly ringKey: string
  /** Unix time, seconds. */
  readonly signsFrom: number
}

/** `next`: published, and does not sign yet. `retired`: published, and does not sign any more. */
export type KeyState = 'next' | 'signing' | 'retired'

export interface TimedKey<K extends KeyTimes> {
  readonly key: K
  readonly state: KeyState
  /** The time at which it is not published any more; undefined as long as no other key takes over. Unix time, seconds. */
  readonly publishedUntil: number | undefined
}

/**
 * The published keys, the one that signs first. It depends on the time and on nothing else that is stored, so that all nodes change at the
 * same moment, and there is always exactly one that signs.
 */
export function timedKeys<K extends KeyTimes>(keys: readonly K[], now: number): readonly TimedKey<K>[] {
  const sorted = keys.toSorted((a, b) => a.generation - b.generation)
  // Where a clock was wrong, none may have begun.
  const signing = Math.max(
    0,
    sorted.findLastIndex(({ signsFrom }) => signsFrom <= now),
  )
  const timed = sorted.map((key, index) => {
    const successor = sorted[index + 1]
    const state = index === signing ? 'signing' : index < signing ? 'retired' : 'next'
    return { key, state, publishedUntil: successor && successor.signsFrom + keptAfter } as const
  })
  const published = timed.filter(({ state, publishedUntil = Infinity }) => state !== 'retired' || publishedUntil > now)
  const order = { signing: 0, next: 1, retired: 2 }
  return published.toSorted((a, b) => order[a.state] - order[b.state] || b.key.generation - a.key.generation)
}

/**
 * When a new key has to sign: it was made under another key of the ring, which may be known to others, or is older than that.
 *
 * @param maxAge Seconds.
 * @returns Unix time, seconds; undefined as long as there is nothing to do.
 */
export function newKeyDue(
  keys: readonly KeyTimes[],
  { now, maxAge, ringKey }: { readonly now: number; readonly maxAge: number; readonly ringKey: string },
): number | undefined {
  const newest = keys.toSorted((a, b) => a.generation - b.generation).at(-1)
  if (!newest) return now
  if (newest.signsFrom > now) return undefined
  const isOld = newest.signsFrom + maxAge - publishedBefore <= now
  return isOld || newest.ringKey !== ringKey ? now + publishedBefore : undefined
}
