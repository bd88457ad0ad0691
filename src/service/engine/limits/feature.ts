import { removal } from '../database/due.ts'
import type { Feature } from '../steps/feature.ts'

/** The longest window in which attempts count, seconds. */
const attemptsCountFor = 24 * 60 * 60

export const limits = {
  name: 'limits',
  tables: ['attempt', 'tally'],
  removals: {
    oldAttempts: {
      place: 22,
      removeSome: removal('attempt', ['sequence'], (is, now) => is('at', '<', now - attemptsCountFor)),
    },
    oldTallies: {
      place: 23,
      removeSome: removal('tally', ['scope', 'at'], (is, now) => is('at', '<', now - attemptsCountFor)),
    },
  },
} as const satisfies Feature
