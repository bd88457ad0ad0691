import type { Request, Response } from 'express'

import type { Challenge, NewChallenge } from '../../challenge/challenge.ts'
import type { PushOptions, Sender, Step } from '../../challenge/push.ts'
import type { MfaUser } from '../../challenge/user.ts'
import { userKeyOf } from '../../challenge/user.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import type { Version } from '../../contract/endpoint.ts'
import { quoteName } from '../../contract/quote-name.ts'
import type { Factor } from '../../contract/users.ts'
import { browserCookie } from '../session/id-cookie.ts'
import { seeOther, sendJson, wantsJson } from './answer.ts'
import { clientAddress, clientAttributes } from './client-facts.ts'
import type { RequestContext } from './context.ts'
import { emit } from './events.ts'
import { warn } from '../setup-checks/warnings.ts'

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
export function defaultChallenge({ user, context }: ChallengeRequest): NewChallenge {
  return { userKey: userKeyOf(user), purpose: 'sign_in', returnTo: `${context.prefix}/` }
}

/** What this challenge can be passed with. */
export function factorsOf({ context }: ChallengeRequest, challenge: Challenge): readonly Factor[] {
  const { factors } = context.mfa.options
  return challenge.factors ? factors.filter((factor) => challenge.factors?.includes(factor)) : factors
}

export function senderOf({ req, context, user }: ChallengeRequest): Sender {
  const browser = browserCookie.read(req, context)
  return { user, attributes: clientAttributes(req), ipAddress: clientAddress(req), browser }
}

export function pushOptionsOf(request: ChallengeRequest, { shownCode: sealed }: Challenge): PushOptions {
  const { numberMatching, provision, usernames, clock } = request.context.mfa.options
  return {
    numberMatching,
    provision,
    usernames,
    now: clock.now(),
    mayEnroll: (version) => maySelfEnroll(request, version),
    shownCode: ({ sealer }) => (sealed === undefined ? undefined : sealer.open(sealed, shownTo(request))),
  }
}

/** The one place that says who may set up a first factor with the password alone, whatever the factor and the service. */
export async function maySelfEnroll({ req, user, context }: ChallengeRequest, version: Version): Promise<boolean> {
  const { selfEnrollment, mayEnroll } = context.mfa.options
  if (!selfEnrollment) return false
  if (!mayEnroll) return version !== '1.3'
  // An app without types may say anything; only a yes counts.
  const said: unknown = await mayEnroll(req, user)
  return said === true
}

/** Remembers the code that the page is about to show. */
export function withShownCode(
  request: ChallengeRequest,
  { sealer }: ConnectedService,
  { challenge, status }: Step,
): Challenge {
  const { shownCode } = challenge
  if (status.kind !== 'enrolling') return challenge
  if (shownCode !== undefined && sealer.open(shownCode, shownTo(request)) === status.code) return challenge
  const { random } = request.context.mfa.options
  return { ...challenge, shownCode: sealer.seal(status.code, shownTo(request), random) }
}

const shownTo = ({ context }: ChallengeRequest): string => `activation code of ${context.userKey}`

/** What came of asking the device. */
export function emitStep({ req, context, user }: ChallengeRequest, { challenge, status }: Step): void {
  const { sessionId } = challenge
  if (status.kind === 'waiting' && challenge.enrollment === 'offered') {
    emit(req, context, { type: 'factor.added', kind: 'device', id: undefined })
  }
  if (status.kind === 'waiting' && sessionId !== undefined) emit(req, context, { type: 'push.sent', sessionId })
  if (status.kind === 'throttled') emit(req, context, { type: 'push.throttled', until: status.until })
  if (status.kind === 'similar_name') {
    const name = quoteName(user.username ?? '')
    warn(context.mfa.options, `the user ${name} was not provisioned: ${status.reason} See the option usernames.`)
  }
  if (status.kind === 'enrolling') emit(req, context, { type: 'enrollment.offered' })
}

/** Scripts are told where to go, as a redirect would be followed behind their back. */
export function continueAt({ req, res }: ChallengeRequest, location: string): void {
  if (wantsJson(req)) sendJson(res, 200, { location })
  else seeOther(res, location)
}
