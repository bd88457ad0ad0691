import { randomText } from '../../engine/base/random.ts'
import type { Random } from '../../engine/base/random.ts'

const minute = 60

/** The end of the year 9999, Unix time: the expiry of codes that never expire. */
export const endOfTime = 253_402_300_799

export const newBypassCode = (random: Random): string => randomText(random, '0123456789', 9)

/**
 * How long a used-up code is kept, seconds. The pass it granted may change factors for ten minutes, and the activation code
 * of a device that is then shown is valid for another fifteen.
 */
export const usedUpCodesKept = 25 * minute

/** Nine digits: no other code has this length. */
export const looksLikeBypassCode = (code: string): boolean => /^[0-9]{9}$/.test(code)

/** @param minutes 0 for never. */
export const bypassCodeExpiry = (now: number, minutes: number): number =>
  minutes === 0 ? endOfTime : now + minutes * minute

/** Whether the stored value is not the code itself: the code was shown only once, or another system made it. */
export const isUnreadable = (storedCode: string): boolean => storedCode.includes(':')
