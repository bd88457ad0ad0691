import { activationCodeAlphabet, activationCodeLength } from '../../../contract/tokens.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import { randomText } from '../../engine/base/random.ts'
import type { Random } from '../../engine/base/random.ts'

const day = 24 * 60 * 60

export function newActivationCode(random: Random): string {
  return randomText(random, activationCodeAlphabet, activationCodeLength)
}

/** How long a code that a page shows is valid, seconds: the user is at the page, and others may have seen it. */
const shownFor = 15 * 60

export const shownCodeExpiry = (now: number): number => now + shownFor

/** @param days The domain's setting. */
export const codeExpiry = (now: number, days: number): number => now + days * day

/** Whether the code for replacing the current device is valid. */
export const isReplaceable = (expiresAt: number | null, now: number): expiresAt is number =>
  expiresAt !== null && expiresAt > now && expiresAt <= latestBeginning(shownCodeExpiry(now))
