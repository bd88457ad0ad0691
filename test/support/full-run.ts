import { describe, it } from 'vitest'

/** The full run has the long form of each suite: both databases, all rows of its tables, more tries. */
export const isLongRun = process.env.LONG !== undefined

/** `npm test` is a short run. Every other way to start tests runs all tests of the files that it names. */
export const isShortRun = process.env.SHORT_RUN !== undefined

const leftOut = Object.assign(() => {}, { each: () => () => {} })

/**
 * Defines a test as `it` does, which `npm test` leaves out: one by which no guarantee is proved, and that takes a twentieth of a
 * second or longer, or a fifth where it notices a recorded removal.
 */
export const inFullRun = isShortRun ? (leftOut as unknown as typeof it) : it

/** Defines a suite as `describe` does, which `npm test` leaves out with all its tests. */
export const describeInFullRun = isShortRun ? (leftOut as unknown as typeof describe) : describe
