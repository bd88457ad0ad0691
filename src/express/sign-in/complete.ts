import type { Challenge } from '../../challenge/challenge.ts'
import { look } from '../../challenge/push.ts'
import { redeem } from '../../challenge/redeem.ts'
import { userKeyOf } from '../../challenge/user.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { factorsOf, continueAt } from '../request/web-request.ts'
import { verifiedOf } from '../request/context.ts'
import { nextLocation } from './offer.ts'
import { emit } from '../request/events.ts'
import { rememberBrowser, passedBrowser } from './remembered.ts'
import { detachWebSession, readMfaState, saveVerified } from '../session/web-session.ts'

/** `POST /mfa/complete`: turns the approval into a verified web session, once. */
export async function completeChallenge(request: ChallengeRequest): Promise<void> {
  const { challenge } = readMfaState(request.req)
  if (challenge) return verify(request, challenge)
  return continueAt(request, passedTo(request) ?? request.context.base)
}

/** Where to go on to, when another tab or a code was quicker; undefined when there is something left to pass. */
export function passedTo({ req, context, user }: ChallengeRequest): string | undefined {
  const { challenge, wentTo = `${context.prefix}/` } = readMfaState(req)
  return !challenge && verifiedOf(req, context, user) ? wentTo : undefined
}

/** Verifies if this very challenge was approved; else leads back to the page, which says where it stands. */
export async function verify(request: ChallengeRequest, challenge: Challenge): Promise<void> {
  const { req, context } = request
  if (await tryVerify(request, challenge)) return continueAt(request, await nextLocation(request, challenge))
  const status = await look(await context.mfa.connect(), challenge)
  // Storing this request's copy of the web session could undo what a winner stored.
  detachWebSession(req)
  return continueAt(request, status.kind === 'approved' ? `${context.base}?${spent}` : context.base)
}

/** Marks the page's address when an approval turned out to be worth nothing: used up, too old, or of another factor. */
export const spent = 'spent'

/** @returns whether the web session is verified now. */
export async function tryVerify(request: ChallengeRequest, challenge: Challenge): Promise<boolean> {
  const { req, context, user } = request
  const { verified, browser } = await redeem(await context.mfa.connect(), challenge, {
    allowed: factorsOf(request, challenge),
    browser: passedBrowser(request, challenge),
    now: context.mfa.options.clock.now(),
  })
  const { sessionId } = challenge
  if (verified?.userKey !== userKeyOf(user)) {
    emit(req, context, { type: 'challenge.refused', sessionId })
    return false
  }
  context.mfa.epochs.learn(verified)
  await saveVerified(req, verified, challenge.returnTo)
  if (browser) rememberBrowser(request, challenge, browser)
  emit(req, context, { type: 'challenge.passed', factor: verified.factor, sessionId })
  return true
}
