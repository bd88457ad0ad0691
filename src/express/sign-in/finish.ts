import type { Challenge, Verified } from '../../challenge/challenge.ts'
import { mayOfferRecoveryCodes } from '../../challenge/own-factors.ts'
import { readStatus } from '../../challenge/push.ts'
import { redeem } from '../../challenge/redeem.ts'
import { userKeyOf } from '../../challenge/user.ts'
import type { RedeemedSession } from '../../contract/sessions.ts'
import type { Effects, Outcome } from '../request/outcome.ts'
import { andThen, continueAt, leadTo } from '../request/outcome.ts'
import { logFailure } from '../request/service-outage.ts'
import { verifiedOf } from '../request/verified.ts'
import type { WebRequest } from '../request/web-request.ts'
import { verifiedState } from '../session/mfa-state.ts'
import { acceptedFactors, challengePolicy } from './challenge-policy.ts'
import { mayOfferPasskey } from './passkey-offer.ts'
import { offeredKey, passedBrowser, rememberBrowser } from './remembered.ts'

/** The outcome of an approval. Only once `effects` are applied is the web session verified. */
export interface Finished {
  readonly verified: Verified | undefined
  readonly effects: Effects
}

/**
 * Redeems the approval of a challenge, once, unless the call that checked the code has done so. Every way to a verified web
 * session leads through here.
 */
export async function finish(request: WebRequest, challenge: Challenge, redeemed?: RedeemedSession): Promise<Finished> {
  const { context, user, state } = request
  const { sessionId } = challenge
  const policy = challengePolicy(request, challenge)
  const { verified, browser } = await redeem(await context.mfa.connect(), challenge, {
    allowed: acceptedFactors(policy),
    policy: policy.resistanceHere,
    unknownBrowser: policy.unknownBrowser,
    browser: { ...passedBrowser(request, challenge), ...offeredKey(request) },
    redeemed,
    now: context.mfa.options.clock.now(),
  })
  if (verified?.userKey !== userKeyOf(user)) {
    return { verified: undefined, effects: { state: 'as-is', events: [{ type: 'challenge.refused', sessionId }] } }
  }
  context.mfa.epochs.update(verified)
  const remembered = browser && rememberBrowser(request, challenge, browser)
  const passed = { type: 'challenge.passed', factor: verified.factor, sessionId } as const
  return {
    verified,
    effects: {
      state: { renew: verifiedState(state, verified, challenge.returnTo, context.mfa.options.clock.now()) },
      cookies: remembered?.cookies ?? [],
      events: [...(remembered?.events ?? []), passed],
    },
  }
}

/** Promises by the id of a challenge: each resolves when the response that verifies its web session has been sent, or cannot be. */
const verifying = new Map<string, Promise<void>>()

/** Verifies the web session and continues where the user wanted to go, or leads back to the page, which shows the status. */
export async function finishAndContinue(
  request: WebRequest,
  challenge: Challenge,
  { signal, redeemed }: { readonly signal: AbortSignal; readonly redeemed?: RedeemedSession | undefined },
): Promise<Outcome> {
  const { verified, effects } = await finish(request, challenge, redeemed)
  if (!verified) return andThen(request, effects, (saved) => leadBack(saved, challenge))
  if (!signal.aborted) verifying.set(challenge.id, untilSent(challenge.id, signal))
  return andThen(request, effects, (saved) => continueAfter(saved, challenge))
}

function untilSent(challengeId: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      verifying.delete(challengeId)
      resolve()
    })
  })
}

/** `POST /mfa/complete`: turns the approval into a verified web session. */
export function completeChallenge(request: WebRequest, signal: AbortSignal): Outcome | Promise<Outcome> {
  const { challenge } = request.state
  if (challenge) return finishAndContinue(request, challenge, { signal })
  return leadTo(request, passedTo(request) ?? request.context.base)
}

/** The address to continue at if another tab or a code has passed the challenge; undefined if there is one left to pass. */
export function passedTo({ state, context }: WebRequest): string | undefined {
  const { challenge, lastReturnTo = `${context.prefix}/` } = state
  return !challenge && verifiedOf(state, context) ? lastReturnTo : undefined
}

/** Marks the address of the page when an approval was worth nothing: used already, too old, or of another factor. */
export const spent = 'spent'

async function leadBack(request: WebRequest, challenge: Challenge): Promise<Outcome> {
  const { base, mfa } = request.context
  // Another window of this web session has won: its response brings the new session id, which the next request needs.
  await verifying.get(challenge.id)
  const status = await readStatus(await mfa.connect(), challenge)
  // Saving this request's copy of the web session could undo what the winner of a race has saved.
  return { state: 'detach', answer: continueAt(request, status.kind === 'approved' ? `${base}?${spent}` : base) }
}

/**
 * Users who have just enrolled their first factor are offered recovery codes, and users without a passkey a passkey, once.
 * They are verified already.
 */
export async function continueAfter(request: WebRequest, challenge: Challenge): Promise<Outcome> {
  const { state, context } = request
  const { enrollment, returnTo, binding, carried } = challenge
  if (carried) return { state: 'as-is', answer: { kind: 'carry-out', carried } }
  // One offer at a time: a passkey is then offered with the next sign-in.
  if (enrollment === 'done' && (await maySeeOffer(request))) {
    const offer = { returnTo, binding }
    return { state: { save: { ...state, offer } }, answer: continueAt(request, `${context.base}/recovery`) }
  }
  if (!(await mayOfferPasskey(request, challenge))) return leadTo(request, returnTo)
  return {
    state: { save: { ...state, passkeyOffer: { returnTo } } },
    answer: continueAt(request, `${context.base}/passkeys`),
  }
}

async function maySeeOffer({ context, user }: WebRequest): Promise<boolean> {
  const { recoveryCodes, factors, phishingResistant } = context.mfa.options
  if (!recoveryCodes || !factors.includes('bypass') || phishingResistant === 'require') return false
  try {
    return await mayOfferRecoveryCodes(await context.mfa.connect(), user)
  } catch (error) {
    logFailure(context, 'recovery codes could not be offered', error)
    return false
  }
}
