import { cancel, look, sendAgainAfter } from '../../challenge/push.ts'
import type { ChallengeStatus } from '../../challenge/challenge-status.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { factorsOf, continueAt, defaultChallenge } from '../request/web-request.ts'
import { tryVerify } from './complete.ts'
import { nextLocation } from './offer.ts'
import { emit } from '../request/events.ts'
import { openChallenge } from './demand.ts'
import { startOnce } from './start-once.ts'
import { saveMfaState, detachWebSession, readMfaState } from '../session/web-session.ts'

/** `POST /mfa/send`: asks the device once more; what was asked before is taken back. */
export async function sendAgain(request: ChallengeRequest): Promise<void> {
  const { req, context } = request
  const challenge = readMfaState(req).challenge ?? (await openChallenge(req, context, defaultChallenge(request)))
  const service = await context.mfa.connect()
  const before = await look(service, challenge)
  if (before.kind === 'approved' && (await tryVerify(request, challenge))) {
    return continueAt(request, await nextLocation(request, challenge))
  }
  if (isTooSoon(before, context.mfa.options.clock.now())) return continueAt(request, `${context.base}?${early}`)
  if (factorsOf(request, challenge).includes('push')) {
    const step = await startOnce(request, challenge)
    await saveMfaState(req, { ...readMfaState(req), challenge: step.challenge })
  }
  continueAt(request, context.base)
}

/** Marks the page's address when somebody wanted to send again too soon. */
export const early = 'early'

/** `POST /mfa/cancel`: the person gives up; the device forgets the request. */
export async function giveUp(request: ChallengeRequest): Promise<void> {
  const { req, context } = request
  const { challenge } = readMfaState(req)
  if (challenge) await cancel(await context.mfa.connect(), challenge)
  emit(req, context, { type: 'challenge.given_up' })
  detachWebSession(req)
  continueAt(request, challenge?.giveUpTo ?? context.base)
}

function isTooSoon(status: ChallengeStatus, now: number): boolean {
  return status.kind === 'waiting' && now - status.createdAt < sendAgainAfter
}
