import type { Request } from 'express'

import type { Challenge } from '../../challenge/challenge.ts'
import { Factor } from '../../contract/users.ts'
import type { RequestContext } from './context.ts'
import { safeReturnTo } from './return-to.ts'

/** What a script was refused for. */
export interface ChallengeWanted {
  readonly purpose: Challenge['purpose']
  readonly factors?: readonly Factor[] | undefined
}

/**
 * Where a script sends the person when it was refused; it may add `returnTo`. A script's request opens no challenge, so
 * the address says which one is wanted. That proves nothing: the guard looks at what was passed in the end.
 */
export function challengeAddress({ base }: RequestContext, { purpose, factors }: ChallengeWanted): string {
  const asked = [
    ...(purpose === 'sign_in' ? [] : [`purpose=${purpose}`]),
    ...(factors ? [`factors=${factors.join(',')}`] : []),
  ]
  return asked.length === 0 ? base : `${base}?${asked.join('&')}`
}

export interface RequestedChallenge extends ChallengeWanted {
  readonly returnTo: string | undefined
}

/** The challenge that the address of the page asks for; undefined for the plain address. */
export function requestedChallenge(req: Request, context: RequestContext): RequestedChallenge | undefined {
  // Not `req.query`: what that makes of `returnTo[]=` is up to the app's query parser.
  const asked = new URLSearchParams(req.originalUrl.split('?', 2)[1])
  if (!parameters.some((name) => asked.has(name))) return undefined
  // Another site's link leads here as well, but says nothing about what to ask for or where to go on to.
  if (isFromElsewhere(req)) return { purpose: 'sign_in', returnTo: undefined }
  const factors = asked.get('factors')?.split(',').filter(isFactor)
  return {
    purpose: purposes.find((purpose) => purpose === asked.get('purpose')) ?? 'sign_in',
    factors: factors?.length ? factors : undefined,
    returnTo: safeReturnTo(asked.get('returnTo'), context.base),
  }
}

const purposes: readonly ChallengeWanted['purpose'][] = ['step_up', 'change_devices']

const parameters = ['purpose', 'factors', 'returnTo']

function isFromElsewhere({ headers }: Request): boolean {
  const site = headers['sec-fetch-site']
  return site === 'cross-site' || site === 'same-site'
}

function isFactor(name: string): name is Factor {
  return Factor.safeParse(name).success
}
