import type { Challenge, Verified } from '../../challenge/challenge.ts'
import type { RequestedPhishingResistance } from '../../contract/phishing-resistance.ts'
import type { OpenApproval } from './open-approvals.ts'

/** How long `failMode` lets a user pass, seconds. */
export const letThroughTime = 300

/** The state that this package stores in a web session, under the one key `mfa`. */
export interface MfaState {
  /** The service and domain all of this belongs to: an app can have several, with users of the same names. */
  readonly service?: string | undefined
  readonly verified?: Verified | undefined
  /** The challenge of the browser that sent this request. */
  readonly challenge?: Challenge | undefined
  /**
   * The challenges of other browsers that send the same web session, oldest first. They are only passed on: no request completes,
   * shows or changes the challenge of another browser.
   */
  readonly otherChallenges?: readonly Challenge[] | undefined
  /** Set by `failMode` while the service was unreachable: passes the gate for a while and is never verified. */
  readonly letThrough?: LetThrough | undefined
  /** The address that the last passed challenge led to: its other tabs follow. */
  readonly lastReturnTo?: string | undefined
  /** The factor that is being set up. */
  readonly setup?: Setup | undefined
  /** A code that an administrator handed over allows this user to add a passkey, and nothing else. */
  readonly passkeyPass?: PasskeyPass | undefined
  /** Recovery codes are offered; the user continues at `returnTo` afterwards. */
  readonly offer?: Offer | undefined
  /** New recovery codes, until the user has saved them. */
  readonly codes?: ShownCodes | undefined
  /** A passkey is offered; the user continues at `returnTo` afterwards. */
  readonly passkeyOffer?: { readonly returnTo: string } | undefined
  /** The service recognized the browser: passes the gate for a moment and is never verified. */
  readonly remembered?: Remembered | undefined
  /** The user whose secrets this web session may show: it got a new id for them, which no attacker can know. */
  readonly ownId?: { readonly userKey: string } | undefined
  /** The code for another device was shown, and is valid until then. */
  readonly shownReplacement?: LetThrough | undefined
  /** Actions that this user is asked to approve, oldest first. None of them verifies the web session. */
  readonly approvals?: readonly OpenApproval[] | undefined
  /** The app told its user only after its own hooks, so an earlier look at this web session says nothing about a sign-out. */
  readonly late?: true | undefined
  /** The token of forms on pages that belong to no challenge. */
  readonly page?: string | undefined
}

export interface Offer {
  readonly returnTo: string
  /** The binding of the browser in which the first factor was set up. */
  readonly binding?: string | undefined
}

export interface ShownCodes extends LetThrough {
  /** The codes, sealed for the user and the browser that made them. */
  readonly sealed: string
  /** The id of one of the codes: codes that were replaced or withdrawn are not shown. */
  readonly id: string
  /** The address at which the user continues afterwards. */
  readonly returnTo: string
}

/** How many browsers can have a challenge in one web session. */
export const maxChallenges = 3

export interface Setup {
  readonly userKey: string
  /** Unix time, seconds: after it, the setup starts over. */
  readonly until: number
  /** The sealed secret of an authenticator app whose first code was not entered yet. */
  readonly app?: string | undefined
  /** Whether a wrong code was entered. */
  readonly wrong?: boolean
  /** Binds the ceremonies of a new passkey to this web session: 128 bits, base64url. */
  readonly passkey?: string | undefined
  /** A device is about to be activated; `before` is the id of the current one. */
  readonly device?: { readonly before?: string | undefined } | undefined
}

export interface PasskeyPass extends LetThrough {
  /** The session that was approved for it: the service checks it again. */
  readonly sessionId: string
  /** The binding of the browser in which the code was typed. */
  readonly binding: string
}

export interface Remembered extends LetThrough {
  /** The SHA-256 of the cookie by which the service recognized the browser. */
  readonly browser: string
  /** The policy under which the browser passed: several `mfa()` share the web session. Undefined for `off`. */
  readonly phishingResistant?: RequestedPhishingResistance | undefined
}

export interface LetThrough {
  readonly userKey: string
  /** Unix time, seconds. */
  readonly until: number
}

/** Returns the part if it belongs to this user. */
export function ifOfUser<T extends { readonly userKey: string }>(part: T | undefined, userKey: string): T | undefined {
  return part?.userKey === userKey ? part : undefined
}

/** The same for a part with an end, which may be over. @param now Unix time, seconds. */
export function ifOpen<T extends LetThrough>(part: T | undefined, userKey: string, now: number): T | undefined {
  const own = ifOfUser(part, userKey)
  return own && own.until > now ? own : undefined
}

/** The state after the second step was passed. @param now Unix time, seconds. */
export function verifiedState(before: MfaState, verified: Verified, lastReturnTo: string, now: number): MfaState {
  const { userKey } = verified
  return {
    verified,
    lastReturnTo,
    ownId: { userKey },
    shownReplacement: ifOfUser(before.shownReplacement, userKey),
    // Creating the recovery codes that are offered takes a second step too: they are still on offer after it.
    offer: ifOfUser(before.verified, userKey) && before.offer,
    passkeyOffer: ifOfUser(before.verified, userKey) && before.passkeyOffer,
    // The second step may have become too old while an action waited for its approval.
    approvals: ifOfUser(before.verified, userKey) && before.approvals,
    // What another tab shows can be loaded again, whatever is confirmed in this one.
    codes: ifOfUser(before.verified, userKey) && ifOpen(before.codes, userKey, now),
    setup: ifOfUser(before.verified, userKey) && ifOpen(before.setup, userKey, now),
  }
}

/**
 * For an answer that shows a secret: saves under a new id, once for this user, so that an attacker who knows the old id
 * cannot read it.
 */
export function saveUnderOwnId(before: MfaState, userKey: string, state: MfaState = before): StateChange {
  if (before.ownId?.userKey !== userKey) return { renew: { ...state, ownId: { userKey } } }
  return state === before ? 'as-is' : { save: state }
}

/** The change of the MFA state, and so of the web session. */
export type StateChange =
  /** The web session is not touched. The app's session middleware may still save its own changes when the answer ends. */
  | 'as-is'
  /** The answer comes late or only reads: it must not save the web session, which another request may have changed. */
  | 'detach'
  /** Removed; that is stored with whatever else the request changes. */
  | 'remove'
  /** Removed, and stored at once. */
  | 'end'
  | { readonly save: MfaState }
  /** Saved under a new session id. */
  | { readonly renew: MfaState }
