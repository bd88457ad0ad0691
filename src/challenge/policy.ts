import { isPhishingResistant } from '../contract/factor-descriptions.ts'
import { stricterBrowser } from '../contract/browser-key.ts'
import type { UnknownBrowser } from '../contract/browser-key.ts'
import { countsUnder, stricter } from '../contract/phishing-resistance.ts'
import type { PhishingResistance } from '../contract/phishing-resistance.ts'
import type { Factor } from '../contract/factor.ts'
import type { Verified } from './challenge.ts'
import { isFresh, maxVerifiedAge } from './challenge.ts'
import type { Epochs } from './epochs.ts'

/** The requirements of a second step. Every place that asks whether a user has passed asks `judge` with such a value. */
export interface Policy {
  readonly factors: readonly Factor[]
  readonly phishingResistant: PhishingResistance
  /** The requirement for a browser that has shown no key. */
  readonly unknownBrowser: UnknownBrowser
  /** The maximum age of the second step, seconds. */
  readonly maxAge: number
}

/** The requirements of a route, a challenge or an upgrade. */
export type PolicyRequest = { readonly [K in keyof Policy]?: Policy[K] | undefined }

/** The policy of an app, from its options. */
export function policyOfApp({ factors, phishingResistant, unknownBrowser }: Omit<Policy, 'maxAge'>): Policy {
  return Object.freeze({ factors, phishingResistant, unknownBrowser, maxAge: maxVerifiedAge })
}

/** The strictest of a policy and what is asked for beyond it. */
export function narrow(policy: Policy, request: PolicyRequest): Policy {
  const { factors = policy.factors, maxAge = policy.maxAge } = request
  return {
    factors: policy.factors.filter((factor) => factors.includes(factor)),
    phishingResistant: stricter(policy.phishingResistant, request.phishingResistant),
    unknownBrowser: stricterBrowser(policy.unknownBrowser, request.unknownBrowser),
    maxAge: Math.min(policy.maxAge, maxAge),
  }
}

/**
 * Whether only passkeys count in one browser. From a browser that has shown no key, a relay can pass on everything else.
 *
 * @param hasProof Whether the browser has shown its key.
 */
export function resistanceIn({ phishingResistant, unknownBrowser }: Policy, hasProof: boolean): PhishingResistance {
  return hasProof || unknownBrowser === 'number' ? phishingResistant : 'require'
}

/** Why a verification record does not count. */
export type Unverified =
  | 'never'
  | 'other_user'
  | 'too_old'
  | 'ended'
  | 'other_factor'
  | 'passkey_needed'
  | 'unknown_browser'

/** The facts, beside the policy, that a decision about a record depends on. */
export interface Judging {
  /** Unix time, seconds. */
  readonly now: number
  readonly epochs: Pick<Epochs, 'covers'>
}

/** Decides whether a verification record counts for a user under a policy. @returns the record, or why it does not count. */
export function judge(
  record: Verified | undefined,
  userKey: string,
  policy: Policy,
  { now, epochs }: Judging,
): Verified | Unverified {
  if (!record) return 'never'
  if (!isFresh(record, userKey, now, policy.maxAge)) return record.userKey === userKey ? 'too_old' : 'other_user'
  if (!epochs.covers(record)) return 'ended'
  if (!policy.factors.includes(record.factor)) return 'other_factor'
  if (!countsUnder(policy.phishingResistant, record)) return 'passkey_needed'
  return isFromAcceptedBrowser(policy, record) ? record : 'unknown_browser'
}

/** When a record stops to count under a policy, Unix time, seconds; it may end before. */
export function expiryOf({ verified, policy }: { readonly verified: Verified; readonly policy: Policy }): number {
  return verified.at + policy.maxAge
}

/** A passkey answers to no relay, so it counts from any browser. */
function isFromAcceptedBrowser({ unknownBrowser }: Policy, { factor, browser }: Verified): boolean {
  return unknownBrowser === 'number' || isPhishingResistant(factor) || browser === 'kept'
}
