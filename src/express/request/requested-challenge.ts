import type { FrameworkRequest } from '../framework/request.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import { RequestedUnknownBrowser } from '../../contract/browser-key.ts'
import { RequestedPhishingResistance } from '../../contract/phishing-resistance.ts'
import { Factor } from '../../contract/factor.ts'
import type { RequestContext } from './context.ts'
import { safeReturnAddress } from './return-to.ts'
import { queryOf } from './query.ts'

/** The kind of challenge that a route demands. */
export interface ChallengeRequirement {
  readonly purpose: Challenge['purpose']
  readonly factors?: readonly Factor[] | undefined
  readonly phishingResistant?: RequestedPhishingResistance | undefined
  readonly unknownBrowser?: RequestedUnknownBrowser | undefined
  /** The action that the user confirms, in the app's words. In an address it is sealed. */
  readonly action?: string | undefined
}

/**
 * The path to which a refused script sends the user; it may add `returnTo`. The request of a script opens no challenge, so
 * the path names the kind of challenge. That proves nothing: the guard checks the verification record afterwards.
 *
 * @param returnTo Where the user continues, as `safeReturnAddress()` returns it.
 */
export function challengePath({ base }: RequestContext, challenge: ChallengeRequirement, returnTo?: string): string {
  const { purpose, factors, phishingResistant, unknownBrowser, action } = challenge
  const query = [
    ...(purpose === 'sign_in' ? [] : [`purpose=${purpose}`]),
    ...(factors ? [`factors=${factors.join(',')}`] : []),
    ...(phishingResistant ? [`phishingResistant=${phishingResistant}`] : []),
    ...(unknownBrowser ? [`unknownBrowser=${unknownBrowser}`] : []),
    ...(action === undefined ? [] : [`action=${action}`]),
    ...(returnTo === undefined ? [] : [`returnTo=${encodeURIComponent(returnTo)}`]),
  ]
  return query.length === 0 ? base : `${base}?${query.join('&')}`
}

/** The same as an address, for scripts of other origins; a path where `publicUrl` is not set, because anyone can write Host. */
export function challengeAddress(context: RequestContext, challenge: ChallengeRequirement): string {
  const { publicUrl } = context.mfa.options
  const path = challengePath(context, challenge)
  return publicUrl === undefined ? path : new URL(publicUrl).origin + path
}

export interface RequestedChallenge extends ChallengeRequirement {
  readonly returnTo: string | undefined
}

/** The challenge that the address of the page asks for; undefined for the plain address. */
export function requestedChallenge(req: FrameworkRequest, context: RequestContext): RequestedChallenge | undefined {
  const query = queryOf(req)
  if (!parameters.some((name) => query.has(name))) return undefined
  const { returnOrigins } = context.mfa.options
  // A link on another site may lead here, but must not choose the challenge or the next page.
  if (isFromElsewhere(req, returnOrigins)) return { purpose: 'sign_in', returnTo: undefined }
  const factors = query.get('factors')?.split(',').filter(isFactor)
  return {
    purpose: purposes.find((purpose) => purpose === query.get('purpose')) ?? 'sign_in',
    factors: factors?.length ? factors : undefined,
    phishingResistant: RequestedPhishingResistance.safeParse(query.get('phishingResistant')).data,
    unknownBrowser: RequestedUnknownBrowser.safeParse(query.get('unknownBrowser')).data,
    action: query.get('action') ?? undefined,
    returnTo: safeReturnAddress(query.get('returnTo'), context, returnOrigins),
  }
}

const purposes: readonly ChallengeRequirement['purpose'][] = ['step_up', 'change_devices']

const parameters = ['purpose', 'factors', 'phishingResistant', 'unknownBrowser', 'action', 'returnTo']

/** @param origins Those of the app's own pages elsewhere. They say so in Referer, which pages of other origins cannot set. */
function isFromElsewhere({ headers }: FrameworkRequest, origins: readonly string[]): boolean {
  const site = headers['sec-fetch-site']
  if (site !== 'cross-site' && site !== 'same-site') return false
  return !origins.includes(URL.parse(headers.referer ?? '')?.origin ?? '')
}

function isFactor(name: string): name is Factor {
  return Factor.safeParse(name).success
}
