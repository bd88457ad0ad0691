import { clockSkew } from '../clock.ts'
import type { Factor } from '../contract/users.ts'

/**
 * One attempt of one web session to pass the second step. Plain data: it lives in the web session, so it must survive
 * JSON, and nothing in it is believed that the service can be asked for.
 */
export interface Challenge {
  /** 128 bit, base64url. The service redeems an approval for it alone; it never reaches the browser. */
  readonly id: string
  /** 128 bit, base64url. Names this challenge to its own page, and proves that a form came from there. */
  readonly page: string
  /** Whose second step this is; a challenge of somebody else is worth nothing. */
  readonly userKey: string
  /** `change_devices`: the pass may change what the second step is passed with. Both others never may. */
  readonly purpose: 'sign_in' | 'step_up' | 'change_devices'
  /** Unix time, seconds. Sessions older than this do not count. */
  readonly createdAt: number
  /** Where to go on to: a path on this origin. */
  readonly returnTo: string
  /** What is accepted, where that is less than the app accepts. */
  readonly factors?: readonly Factor[] | undefined
  /** Where to go when the person gives up, if the app said so. */
  readonly giveUpTo?: string | undefined
  /** The session that is followed now. */
  readonly sessionId?: string
  /** When that was asked for, Unix seconds. */
  readonly askedAt?: number | undefined
  /** How often the device was asked. */
  readonly asks?: number
  /** What was given to have it approved at once. */
  readonly givenFactor?: Factor | undefined
  /** The session whose bad end the app was told of. */
  readonly told?: string | undefined
  /** What was offered on the way, and what came of it: a first factor that is being set up, or is. */
  readonly enrollment?: 'offered' | 'done' | undefined
  /** The activation code it has shown, sealed. */
  readonly shownCode?: string | undefined
  /** Whether the browser is to be remembered once this is passed. */
  readonly remember?: boolean | undefined
  /** What the page has to say of the last thing the person tried. */
  readonly notice?: Notice | undefined
}

/** Times in Unix seconds. */
export type Notice =
  | { readonly kind: 'no_code' | 'emailed' | 'email_failed' | 'app_ready' }
  /** How many more may be tried, where the service says so. */
  | { readonly kind: 'wrong_code'; readonly triesLeft?: number | undefined }
  | { readonly kind: 'email_paused'; readonly until: number }
  /** `ofChallenge`: this challenge takes no more, whatever the user may try in another one. */
  | { readonly kind: 'codes_paused'; readonly until: number; readonly ofChallenge?: boolean | undefined }

/** How long a challenge is gone on with rather than begun anew, seconds. */
export const challengeLifetime = 900

/** What a web session has passed. Anything else is not verified. */
export interface Verified {
  /** Unix time, seconds, at which the second step was settled. */
  readonly at: number
  readonly factor: Factor
  /** The very device, token or code; undefined for e-mail, and where a 1.3 service does not say. */
  readonly factorId?: string | undefined
  /** What it was passed for. One for changing devices also counts as signing in and as a step-up, never the reverse. */
  readonly purpose: Challenge['purpose']
  /** The service's session that was approved. */
  readonly sessionId?: string | undefined
  /** The user's epoch when it was passed: it ends with it. Undefined where the service speaks 1.3. */
  readonly epoch?: string | undefined
  /** The one that the user gets by a change this web session has begun to make: it outlasts that change alone. */
  readonly nextEpoch?: string | undefined
  readonly userKey: string
}

/** NIST SP 800-63B-4 section 2.2.3: reauthenticate at least once in 12 hours. Seconds. */
export const maxVerifiedAge = 43_200

export interface NewChallenge {
  readonly userKey: string
  readonly purpose: Challenge['purpose']
  readonly returnTo: string
  readonly giveUpTo?: string | undefined
  readonly factors?: readonly Factor[] | undefined
}

/** @param random answers so many random bytes. */
export function createChallenge(given: NewChallenge, now: number, random: (size: number) => Uint8Array): Challenge {
  return {
    id: Buffer.from(random(16)).toString('base64url'),
    page: Buffer.from(random(16)).toString('base64url'),
    userKey: given.userKey,
    purpose: given.purpose,
    createdAt: now,
    returnTo: given.returnTo,
    giveUpTo: given.giveUpTo,
    factors: given.factors,
  }
}

/**
 * Whether a marker says that this user passed the second step no longer than `maxAge` seconds ago. One from the future says
 * nothing: the clock was ahead, and the marker would be good for as much longer.
 */
export function isFresh(
  verified: Verified | undefined,
  userKey: string,
  now: number,
  maxAge = maxVerifiedAge,
): boolean {
  if (verified?.userKey !== userKey || verified.at > now + clockSkew) return false
  return now - verified.at < Math.min(maxAge, maxVerifiedAge)
}
