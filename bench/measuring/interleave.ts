import type { Counted, RunningLoad, Sample } from './load.ts'

/** A contender under its load. */
export interface Entry {
  readonly name: string
  /** Whether it is this package. */
  readonly ours?: boolean
  readonly load: RunningLoad
  readonly counted: Readonly<Record<string, Counted>>
  /** How many units of work run concurrently. */
  readonly atATime?: number
  /** Runs once, after the round that warms up. */
  readonly warmedUp?: () => Promise<void>
}

export interface Measured {
  readonly name: string
  readonly ours?: boolean
  readonly samples: readonly Sample[]
}

export interface Pace {
  readonly rounds: number
  /** The result of one contender in one round. */
  readonly seconds: number
}

/** Measures the contenders in turns, in alternating order. One more round before the others only warms up. */
export async function interleave(entries: readonly Entry[], { rounds, seconds }: Pace): Promise<readonly Measured[]> {
  const samples = new Map<Entry, Sample[]>(entries.map((entry) => [entry, []]))
  for (let round = -1; round < rounds; round++) {
    if (round === 0) for (const { warmedUp } of entries) await warmedUp?.()
    for (const entry of round % 2 === 0 ? entries : entries.toReversed()) {
      const { load, counted, atATime = 8 } = entry
      const sample = await load.round({ milliseconds: seconds * 1000, atATime, counted })
      if (round >= 0) samples.get(entry)?.push(sample)
    }
  }
  return entries.map((entry) => ({ ...entry, samples: samples.get(entry) ?? [] }))
}
