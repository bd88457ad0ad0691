import { clockSkew } from '../ground/clock.ts'
import type { RequestedUnknownBrowser } from '../contract/browser-key.ts'
import type { RequestedPhishingResistance } from '../contract/phishing-resistance.ts'
import type { SentFactor } from '../contract/factor-descriptions.ts'
import type { Factor } from '../contract/factor.ts'
import type { Session } from '../contract/sessions.ts'
import { createPageToken } from './page-token.ts'

/** Why a user has to pass the second step. */
export const purposes = ['sign_in', 'step_up', 'change_devices'] as const

/**
 * One attempt of one web session to pass the second step. It is stored in the web session, so it must survive JSON; where
 * the service knows better, the service is asked.
 */
export interface Challenge {
  /** 128 bits, base64url. The service redeems an approval only for this id; it is never sent to the browser. */
  readonly id: string
  /** 128 bits and a mark of the user. Identifies this challenge on its own page, and proves that a form came from there. */
  readonly page: string
  /** The user who has to pass it; it is worth nothing to any other user. */
  readonly userKey: string
  /**
   * The SHA-256 of the cookie of the browser that has to pass it: whoever knows the id of the web session alone does not know
   * that cookie. Undefined only where the challenge is opened and redeemed in one request.
   */
  readonly binding?: string | undefined
  /** Only a pass for `change_devices` may change factors. */
  readonly purpose: (typeof purposes)[number]
  /** Unix time, seconds. Sessions older than this do not count. */
  readonly createdAt: number
  /** The path on this origin at which the user continues afterwards. */
  readonly returnTo: string
  /** The accepted factors, if fewer than those the app accepts. */
  readonly factors?: readonly Factor[] | undefined
  /** The policy for passkeys, if it is stricter than that of the app. */
  readonly phishingResistant?: RequestedPhishingResistance | undefined
  /** The setting for unknown browsers, if it is stricter than that of the app. */
  readonly unknownBrowser?: RequestedUnknownBrowser | undefined
  /** The action that the user confirms by a step-up, in the app's words. */
  readonly action?: string | undefined
  /** The address at which the user continues after giving up, if the app set one. */
  readonly giveUpTo?: string | undefined
  /** The form of the user's own factors that the challenge has interrupted: it is carried out once the challenge is passed. */
  readonly carried?: Carried | undefined
  /** The current session of the service. */
  readonly sessionId?: string
  /** The secret that the device can scan in place of the number, while that session is pending. */
  readonly scanSecret?: string | undefined
  /** The time at which the session was created, Unix seconds. */
  readonly askedAt?: number | undefined
  /** How far the service's clock was ahead of ours then, seconds; negative where it was behind. Undefined where they agreed. */
  readonly serviceAhead?: number | undefined
  /** The name of the device that was asked, if the service says it. */
  readonly deviceName?: string | undefined
  /** The number of push requests so far. */
  readonly asks?: number
  /** The factor of the code that approved it. */
  readonly givenFactor?: Factor | undefined
  /** The session whose end without approval was emitted as an event. */
  readonly reportedSessionId?: string | undefined
  /** Whether a first factor was offered during this challenge, and whether it is set up by now. */
  readonly enrollment?: 'offered' | 'done' | undefined
  /** The activation code that its page has shown, sealed. */
  readonly shownCode?: string | undefined
  /** The signature of a kept browser; empty where the page could make none. */
  readonly browserProof?: string | undefined
  /** Whether to remember the browser once this is passed. */
  readonly remember?: boolean | undefined
  /** The result of the user's last attempt, for the page to show. */
  readonly notice?: Notice | undefined
}

/** A posted form that waits for a confirmation. */
export interface Carried {
  /** The path of the form, below the challenge path. */
  readonly path: CarriedPath
  /** Ids, names and choices, and nothing else. */
  readonly fields: Readonly<Record<string, string>>
  /** The time at which the user pressed the button, Unix seconds. */
  readonly askedAt: number
}

type CarriedPath = `/devices/${
  | 'remove'
  | 'name'
  | 'passkey/name'
  | 'passkey/remove'
  | 'device'
  | 'device/cancel'
  | 'forget'
  | 'sessions'
  | 'codes'}`

/** How long a form waits, seconds: after that, the user may no longer know what it was. */
export const carriedLifetime = 600

/** Times in Unix seconds. */
export type Notice =
  | SentNotice
  | { readonly kind: 'app_ready' }
  | { readonly kind: 'no_code' }
  /** The browser has sent no key that could be kept. */
  | { readonly kind: 'no_browser_key' }
  /** The code was not accepted, because only a passkey counts. */
  | { readonly kind: 'passkey_needed' }
  | { readonly kind: 'wrong_passkey' }
  | WrongCode
  /** `ofChallenge`: only this challenge takes no more codes. */
  | { readonly kind: 'codes_paused'; readonly until: number; readonly ofChallenge?: boolean | undefined }

/** What became of a code that was to be sent. */
export type SentNotice =
  | { readonly kind: `${SentFactor}_${'sent' | 'failed'}` }
  /** No other one is sent until then; the last one works until it expires. */
  | { readonly kind: `${SentFactor}_paused`; readonly until: number }

interface WrongCode {
  readonly kind: 'wrong_code'
  /** Whether it had the length of a recovery code. */
  readonly isRecovery?: boolean | undefined
  /** The number of tries left, if the service says so. */
  readonly triesLeft?: number | undefined
  /** How long codes are paused after the last try, seconds; set while one try is left. */
  readonly pausedFor?: number
}

/** How long a challenge can be reused, seconds. */
export const challengeLifetime = 900

/** The verification record of a web session. A web session without one is not verified. */
export interface Verified {
  /** Unix time, seconds, at which the second step was settled. */
  readonly at: number
  readonly factor: Factor
  /** Id of the device, token or code; undefined for a code that was sent, and if a 1.3 service does not say. */
  readonly factorId?: string | undefined
  /** One for changing devices also counts as a sign-in and as a step-up, never the reverse. */
  readonly purpose: Challenge['purpose']
  /** The service's session that was approved. */
  readonly sessionId?: string | undefined
  /** The user's epoch at that time: the record ends when the epoch changes. Undefined for a 1.3 service. */
  readonly epoch?: string | undefined
  /** The epoch that follows a change made by this web session: the record survives that one change. */
  readonly nextEpoch?: string | undefined
  /** The policy of the app and the route under which the step was passed; undefined for `off`. */
  readonly phishingResistant?: RequestedPhishingResistance | undefined
  /** How the browser was known: `kept` if it has shown its key. Undefined for any other, and for records of earlier versions. */
  readonly browser?: 'kept' | undefined
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
  readonly phishingResistant?: RequestedPhishingResistance | undefined
  readonly unknownBrowser?: RequestedUnknownBrowser | undefined
  readonly action?: string | undefined
  readonly carried?: Carried | undefined
}

/** @param random returns that many random bytes. */
export function createChallenge(request: NewChallenge, now: number, random: (size: number) => Uint8Array): Challenge {
  return {
    id: Buffer.from(random(16)).toString('base64url'),
    page: createPageToken(request.userKey, random),
    userKey: request.userKey,
    purpose: request.purpose,
    createdAt: now,
    returnTo: request.returnTo,
    giveUpTo: request.giveUpTo,
    factors: request.factors,
    phishingResistant: request.phishingResistant,
    unknownBrowser: request.unknownBrowser,
    action: request.action,
    carried: request.carried,
  }
}

/** How far apart the clocks of app and service count as the same, seconds. An answer of the service can take as long. */
export const clocksApart = 30

/** The challenge with the session that the service has just created for it. */
export function withSession(challenge: Challenge, { id, createdAt }: Session, now: number): Challenge {
  const serviceAhead = createdAt === undefined ? undefined : aheadOf(createdAt, now)
  return { ...challenge, sessionId: id, askedAt: now, serviceAhead }
}

/**
 * How far the service's clock is ahead of ours, seconds; undefined where they agree. Machines without time synchronization are minutes
 * apart: times of the service are compared with ours only after this was subtracted, or no approval would count.
 *
 * @param createdAt The time at which the service has just created something, by its clock.
 */
export function aheadOf(createdAt: number, now: number): number | undefined {
  const ahead = createdAt - now
  return Math.abs(ahead) > clocksApart ? ahead : undefined
}

/**
 * Whether a record says that this user passed the second step at most `maxAge` seconds ago. A record from the future does not
 * count: the clock was ahead when it was made, and it would be valid for too long.
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
