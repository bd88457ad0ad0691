import type { UnknownBrowser } from '../contract/browser-key.ts'
import type { KnownBrowser } from '../contract/browsers.ts'
import { requestedPolicy } from '../contract/phishing-resistance.ts'
import type { PhishingResistance } from '../contract/phishing-resistance.ts'
import type { PassedBrowser, RedeemedSession } from '../contract/sessions.ts'
import type { Factor } from '../contract/factor.ts'
import { clocksApart } from './challenge.ts'
import type { Challenge, Verified } from './challenge.ts'
import { unlessRejected } from './rejection.ts'
import type { ConnectedService } from './service.ts'
import type { Redeemable } from './version-adapter.ts'

/** The result of redeeming an approval. */
export interface Redeemed {
  /** Undefined if the approval does not count. */
  readonly verified?: Verified
  /** The browser it was in, if the service knows it from now on. */
  readonly browser?: KnownBrowser | undefined
}

interface RedeemingConditions {
  readonly allowed: readonly Factor[]
  /** The policy of the app and the route, in this browser. */
  readonly policy: PhishingResistance
  /** The requirement of app and route for a browser that is not kept. */
  readonly unknownBrowser: UnknownBrowser
  readonly browser: PassedBrowser
  /** The answer of a call that has redeemed it already. */
  readonly redeemed?: RedeemedSession | undefined
  /** Unix time, seconds. */
  readonly now: number
}

/**
 * Redeems the approval of a challenge. The service accepts that once, so when two web sessions race, only the one that gets
 * the answer may be verified.
 */
export async function redeem(
  service: ConnectedService,
  challenge: Challenge,
  { allowed, policy, unknownBrowser, browser: passedBrowser, redeemed, now }: RedeemingConditions,
): Promise<Redeemed> {
  if (challenge.sessionId === undefined) return {}
  const phishingResistant = requestedPolicy(policy)
  const conditions = { id: challenge.id, browser: passedBrowser, phishingResistant, unknownBrowser }
  const approval = redeemed ?? (await redeemNow(service, challenge.sessionId, conditions))
  if (approval?.state !== 'approved') return {}
  const { createdAt = challenge.askedAt, settledAt = now, factor = challenge.givenFactor ?? 'push' } = approval
  const { purpose, sessionId, userKey, serviceAhead = 0 } = challenge
  // An approval that is older than the challenge does not answer it. The service binds a session to its challenge anyway.
  if (createdAt === undefined || createdAt - serviceAhead + clocksApart < challenge.createdAt) return {}
  if (!allowed.includes(factor)) return {}
  const { factorId, epoch } = approval
  // If the service's clock is ahead, the record must not be valid for longer.
  const at = Math.min(settledAt - serviceAhead, now)
  // Only the service has verified the proof of a kept browser.
  const browser = approval.fromKeptBrowser ? ('kept' as const) : undefined
  return {
    verified: { at, factor, factorId, purpose, sessionId, epoch, phishingResistant, browser, userKey },
    browser: approval.browser,
  }
}

function redeemNow(service: ConnectedService, sessionId: string, challenge: Redeemable) {
  const redeemed = service.redeem(sessionId, challenge)
  return unlessRejected(redeemed, 'api.error.notfound.session', 'api.error.conflict.state')
}
