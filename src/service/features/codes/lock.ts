const failuresPerLock = 10
/**
 * NIST SP 800-63B-4 section 3.2.2 allows at most 100 failed attempts in a row, over all factors and challenges. There are two
 * budgets, one for known browsers and one for everything else, so each ends at half of that.
 */
const failuresUntilUnlocked = 50

const firstLock = 15 * 60
const maxLock = 24 * 60 * 60

/** Wrong codes per challenge (OWASP ASVS 5.0 6.6.3). */
export const maxWrongPerChallenge = 5
/** How long the wrong codes of a challenge are remembered, seconds; longer than a challenge lives. */
export const challengeTriesKept = 24 * 60 * 60

/** Only an administrator can unlock: the end of the year 9999, Unix time in seconds. */
export const untilUnlocked = 253_402_300_799

/**
 * Until when codes are locked after this many wrong ones in a row: 15 minutes after every tenth, doubling up to a day.
 * @returns Unix time in seconds; undefined if they are not locked.
 */
export function lockedUntil(failures: number, now: number): number | undefined {
  if (failures >= failuresUntilUnlocked) return untilUnlocked
  if (failures === 0 || failures % failuresPerLock !== 0) return undefined
  return now + Math.min(maxLock, firstLock * 2 ** (failures / failuresPerLock - 1))
}

/**
 * How many more codes can be tried in this challenge before codes are locked, and at the end for how long they are: the
 * challenge alone locks nothing.
 * @param ofUser Wrong codes of the user in a row. @param ofChallenge Wrong codes of the challenge.
 */
export function triesLeft(ofUser: number, ofChallenge: number, now: number) {
  const untilLock = (failuresPerLock - (ofUser % failuresPerLock)) % failuresPerLock
  const remaining = Math.min(untilLock, maxWrongPerChallenge - ofChallenge)
  const until = remaining > 1 ? undefined : lockedUntil(ofUser + remaining, now)
  return { triesLeft: remaining, ...(until !== undefined && { lockedFor: until - now }) }
}
