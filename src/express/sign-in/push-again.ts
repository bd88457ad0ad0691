import { cancel, look, sendAgainAfter } from '../../challenge/push.ts'
import type { Standing } from '../../challenge/challenge-status.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { factorsOf, goOn, uncalledFor } from '../request/web-request.ts'
import { tryVerify } from './complete.ts'
import { nextAfter } from './offer.ts'
import { emit } from '../request/events.ts'
import { openChallenge } from './demand.ts'
import { startOnce } from './start-once.ts'
import { keep, letGo, readKept } from '../session/web-session.ts'

/** `POST /mfa/send`: asks the device once more; what was asked before is taken back. */
export async function sendAgain(request: ChallengeRequest): Promise<void> {
  const { req, context } = request
  const challenge = readKept(req).challenge ?? (await openChallenge(req, context, uncalledFor(request)))
  const service = await context.mfa.connect()
  const before = await look(service, challenge)
  if (before.kind === 'approved' && (await tryVerify(request, challenge))) {
    return goOn(request, await nextAfter(request, challenge))
  }
  if (isTooSoon(before, context.mfa.options.clock.now())) return goOn(request, `${context.base}?${early}`)
  if (factorsOf(request, challenge).includes('push')) {
    const step = await startOnce(request, challenge)
    await keep(req, { ...readKept(req), challenge: step.challenge })
  }
  goOn(request, context.base)
}

/** Marks the page's address when somebody wanted to send again too soon. */
export const early = 'early'

/** `POST /mfa/cancel`: the person gives up; the device forgets the request. */
export async function giveUp(request: ChallengeRequest): Promise<void> {
  const { req, context } = request
  const { challenge } = readKept(req)
  if (challenge) await cancel(await context.mfa.connect(), challenge)
  emit(req, context, { type: 'challenge.given_up' })
  letGo(req)
  goOn(request, challenge?.giveUpTo ?? context.base)
}

function isTooSoon(standing: Standing, now: number): boolean {
  return standing.kind === 'waiting' && now - standing.createdAt < sendAgainAfter
}
