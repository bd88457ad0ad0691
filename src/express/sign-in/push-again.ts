import type { ChallengeStatus } from '../../challenge/challenge-status.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import { cancel, readStatus, sendAgainAfter } from '../../challenge/push.ts'
import { tooEarly } from '../pages/waiting-view.ts'
import type { Outcome } from '../request/outcome.ts'
import { andThen, continueAt, leadTo } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { inBoundBrowser } from './bound-browser.ts'
import { continueAfter, finish } from './finish.ts'
import { acceptedFactors, challengePolicy } from './challenge-policy.ts'
import { withChallenge } from './open-challenge.ts'
import { startOnce } from './start-once.ts'

/** `POST /mfa/send`: sends another push request in place of the current one. */
export const sendAgain = inBoundBrowser((request) =>
  withChallenge(request, async (opened, challenge) => {
    const status = await readStatus(await opened.context.mfa.connect(), challenge)
    if (status.kind !== 'approved') return resend(opened, challenge, status)
    const { verified, effects } = await finish(opened, challenge)
    return andThen(opened, effects, (saved) =>
      verified ? continueAfter(saved, challenge) : resend(saved, challenge, status),
    )
  }),
)

async function resend(request: WebRequest, challenge: Challenge, status: ChallengeStatus): Promise<Outcome> {
  const { context, state } = request
  if (isTooEarly(status, context.mfa.options.clock.now())) return leadTo(request, `${context.base}?${tooEarly}`)
  if (!acceptedFactors(challengePolicy(request, challenge)).includes('push')) return leadTo(request, context.base)
  const { challenge: sentChallenge, events } = await startOnce(request, challenge)
  return { state: { save: { ...state, challenge: sentChallenge } }, events, answer: continueAt(request, context.base) }
}

/** `POST /mfa/cancel`: the user gives up, and the request disappears from the device. */
export async function giveUp(request: WebRequest): Promise<Outcome> {
  const { context, state } = request
  const { challenge } = state
  if (challenge) await cancel(await context.mfa.connect(), challenge)
  return {
    state: 'detach',
    events: [{ type: 'challenge.given_up' }],
    answer: continueAt(request, challenge?.giveUpTo ?? context.base),
  }
}

function isTooEarly(status: ChallengeStatus, now: number): boolean {
  return status.kind === 'waiting' && now - status.createdAt < sendAgainAfter
}
