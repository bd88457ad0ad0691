import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Challenge, NewChallenge } from '../../challenge/challenge.ts'
import { challengeLifetime, createChallenge } from '../../challenge/challenge.ts'
import type { MfaUser } from '../../challenge/user.ts'
import { userKeyOf } from '../../challenge/user.ts'
import { seeOther, sendJson } from '../request/answer.ts'
import type { ChallengeWanted } from '../request/requested-challenge.ts'
import { challengeAddress } from '../request/requested-challenge.ts'
import type { RequestContext } from '../request/context.ts'
import { emit } from '../request/events.ts'
import { isNavigation } from '../request/navigation.ts'
import { requestedPath } from '../request/return-to.ts'
import { saveMfaState, ifOfUser, readMfaState } from '../session/web-session.ts'

export interface Demand extends ChallengeWanted {
  /** Where to go on to; by default where the request wanted to go. */
  readonly returnTo?: string | undefined
  readonly giveUpTo?: string | undefined
}

/** Stops a request until the second step is passed: pages are sent to the challenge, everything else is told. */
export async function demand(
  req: IncomingMessage,
  res: ServerResponse,
  context: RequestContext,
  user: MfaUser,
  given: Demand,
): Promise<void> {
  if (!isNavigation(req)) return refuse(res, context, given)
  await openChallenge(req, context, {
    userKey: userKeyOf(user),
    purpose: given.purpose,
    returnTo: given.returnTo ?? requestedPath(req, context) ?? `${context.prefix}/`,
    giveUpTo: given.giveUpTo,
    factors: given.factors,
  })
  context.trace?.note({ kind: 'sent', to: context.base })
  seeOther(res, context.base)
}

/** 403 in a form that a script can act on. */
export function refuse(
  res: ServerResponse,
  context: RequestContext,
  wanted: ChallengeWanted = { purpose: 'sign_in' },
): void {
  context.trace?.note({ kind: 'refused', to: challengeAddress(context, wanted) })
  sendJson(res, 403, {
    error: 'mfa_required',
    challenge: challengeAddress(context, wanted),
    message: 'Pass the second step first: send the person to the address in "challenge".',
  })
}

/** Goes on with the challenge at hand where it serves the same end, so that several tabs share one request. */
export async function openChallenge(
  req: IncomingMessage,
  context: RequestContext,
  given: NewChallenge,
): Promise<Challenge> {
  const { options } = context.mfa
  const { verified, ownId, codeShown, challenge: present, offer } = readMfaState(req)
  const now = options.clock.now()
  const isReused =
    present?.userKey === given.userKey &&
    present.purpose === given.purpose &&
    String(present.factors) === String(given.factors) &&
    now - present.createdAt < challengeLifetime
  const challenge = isReused
    ? { ...present, returnTo: given.returnTo, giveUpTo: given.giveUpTo }
    : { ...createChallenge(given, now, options.random), shownCode: shownCodeOf(present, given) }
  // What somebody else has passed does not stay beside it.
  await saveMfaState(req, {
    verified: ifOfUser(verified, given.userKey),
    ownId: ifOfUser(ownId, given.userKey),
    codeShown: ifOfUser(codeShown, given.userKey),
    offer: verified?.userKey === given.userKey ? offer : undefined,
    challenge,
  })
  if (!isReused) emit(req, context, { type: 'challenge.opened', purpose: given.purpose })
  return challenge
}

/** The code that was shown stays the person's own to see, also in the next challenge. */
function shownCodeOf(present: Challenge | undefined, { userKey }: NewChallenge): string | undefined {
  return present?.userKey === userKey ? present.shownCode : undefined
}
