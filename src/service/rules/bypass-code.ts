import { randomText } from './random.ts'
import type { Random } from './random.ts'

const minute = 60

/** The end of year 9999, Unix time: what never expires says so. */
export const endOfTime = 253_402_300_799

export const newBypassCode = (random: Random): string => randomText(random, '0123456789', 9)

/**
 * How long a used-up code is kept, seconds. A pass that it was used for may change factors for ten minutes, and the
 * activation code of a device that is then shown is good for another fifteen.
 */
export const usedUpCodesKept = 25 * minute

/** Nine digits: no other code has as many. */
export const looksLikeBypassCode = (code: string): boolean => /^[0-9]{9}$/.test(code)

/** @param minutes 0 for never. */
export const bypassCodeExpiry = (now: number, minutes: number): number =>
  minutes === 0 ? endOfTime : now + minutes * minute

/** Where codes are shown only once, what is kept is no code. */
export const isHashedCode = (kept: string): boolean => kept.startsWith('scrypt:')
