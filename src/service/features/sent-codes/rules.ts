import type { SentFactor } from '../../../contract/factor-descriptions.ts'
import { randomText } from '../../engine/base/random.ts'
import type { Random } from '../../engine/base/random.ts'

const minute = 60

const hour = 60 * minute

/** Lifetime in seconds (NIST SP 800-63B-4 section 3.1.3.2). */
export const sentCodeLifetime = 10 * minute

/** Wrong codes after which a sent code is invalid. */
export const maxWrongTries = 5

export const newSentCode = (random: Random): string => randomText(random, '0123456789', 6)

/** How often a user can be sent a code, over all domains, because it is one place. */
export const sentCodeLimits = (factor: SentFactor, userId: string) => [
  { scope: `${factor} hour:${userId}`, limit: 5, window: hour },
  { scope: `${factor} minute:${userId}`, limit: 1, window: minute },
]
