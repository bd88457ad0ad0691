import type { Request, Response } from 'express'

import type { Challenge, NewChallenge } from '../challenge/challenge.ts'
import type { PushOptions, Sender, Step } from '../challenge/push.ts'
import type { MfaUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import type { Factor } from '../contract/users.ts'
import { seeOther, sendJson, wantsJson } from './answer.ts'
import { clientAddress, clientAttributes } from './client-facts.ts'
import type { RequestContext } from './context.ts'
import { emit } from './events.ts'

/** A request for one of the challenge's own routes, by a signed-in user. */
export interface ChallengeRequest {
  readonly req: Request
  readonly res: Response
  readonly context: RequestContext
  readonly user: MfaUser
  /** The fields of a posted form. */
  readonly form: Readonly<Record<string, unknown>>
}

/** The challenge of somebody who opens the page without having been sent there. */
export function uncalledFor({ user, context }: ChallengeRequest): NewChallenge {
  return { userKey: userKeyOf(user), purpose: 'sign_in', returnTo: `${context.prefix}/` }
}

/** What this challenge can be passed with. */
export function factorsOf({ context }: ChallengeRequest, challenge: Challenge): readonly Factor[] {
  const { factors } = context.mfa.options
  return challenge.factors ? factors.filter((factor) => challenge.factors?.includes(factor)) : factors
}

export function senderOf({ req, user }: ChallengeRequest): Sender {
  return { user, attributes: clientAttributes(req), ipAddress: clientAddress(req) }
}

export function pushOptionsOf({ req, user, context }: ChallengeRequest): PushOptions {
  const { numberMatching, provision, clock, mayEnrol } = context.mfa.options
  return { numberMatching, provision, now: clock.now(), mayEnrol: async () => (await mayEnrol?.(req, user)) ?? false }
}

/** What came of asking the device. */
export function tellStep({ req, context }: ChallengeRequest, { challenge, standing }: Step): void {
  const { sessionId } = challenge
  if (standing.kind === 'waiting' && challenge.enrolment === 'offered') {
    emit(req, context, { type: 'factor.added', kind: 'device', id: undefined })
  }
  if (standing.kind === 'waiting' && sessionId !== undefined) emit(req, context, { type: 'push.sent', sessionId })
  if (standing.kind === 'throttled') emit(req, context, { type: 'push.throttled', until: standing.until })
  if (standing.kind === 'enrolling') emit(req, context, { type: 'enrolment.offered' })
}

/** Scripts are told where to go, as a redirect would be followed behind their back. */
export function goOn({ req, res }: ChallengeRequest, location: string): void {
  if (wantsJson(req)) sendJson(res, 200, { location })
  else seeOther(res, location)
}
