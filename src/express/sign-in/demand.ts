import type { Carried } from '../../challenge/challenge.ts'
import { userKeyOf } from '../../challenge/user.ts'
import { isTrustedPost } from '../request/form.ts'
import { isHtmx, isNavigation, isTurbo } from '../request/navigation.ts'
import type { Need } from '../request/need.ts'
import type { Outcome } from '../request/outcome.ts'
import { continueAt, redirect } from '../request/outcome.ts'
import { checkNeed } from '../setup-checks/phishing-resistance.ts'
import type { RequestContext } from '../request/context.ts'
import type { ChallengeRequirement } from '../request/requested-challenge.ts'
import { challengeAddress, challengePath } from '../request/requested-challenge.ts'
import { requestedPath } from '../request/return-to.ts'
import { verifiedOf } from '../request/verified.ts'
import type { WebRequest } from '../request/web-request.ts'
import { bindingOf } from '../session/id-cookie.ts'
import { openChallenge } from './open-challenge.ts'

export interface Demand extends ChallengeRequirement {
  /** Where the user continues afterwards; by default at the address of this request. */
  readonly returnTo?: string | undefined
  readonly giveUpTo?: string | undefined
  /** The form that is carried out once the challenge is passed. */
  readonly carried?: Carried | undefined
}

/** Stops a request until the second step is passed: pages are sent to the challenge, everything else gets 403. */
export function demand(request: WebRequest, requirement: Demand): Outcome {
  const { req, context, user } = request
  // A script that has passed a challenge expects to be led on.
  if (!isNavigation(req) && !request.carried) return refuse(request, requirement)
  context.trace?.note({ kind: 'sent', to: context.base })
  const answer = request.carried ? continueAt(request, context.base) : redirect(context.base)
  if (requirement.returnTo === undefined && mayHideBinding(request)) return { state: 'as-is', answer }
  const { effects } = openChallenge(request, {
    userKey: userKeyOf(user),
    purpose: requirement.purpose,
    returnTo: requirement.returnTo ?? requestedPath(req, context) ?? `${context.prefix}/`,
    giveUpTo: requirement.giveUpTo,
    factors: requirement.factors,
    phishingResistant: requirement.phishingResistant,
    unknownBrowser: requirement.unknownBrowser,
    action: requirement.action,
    carried: requirement.carried,
  })
  return { ...effects, answer }
}

/**
 * Whether the browser may have a binding cookie that it has not sent: with a form of another site, browsers send no SameSite
 * cookies. A new one would replace it. Such a user returns to no page, so nothing is lost: the page opens the challenge.
 */
function mayHideBinding({ req, context }: WebRequest): boolean {
  if (req.method === 'GET' || req.method === 'HEAD' || bindingOf(req, context) !== undefined) return false
  const { publicUrl } = context.mfa.options
  return !isTrustedPost(req, { token: undefined, expected: undefined, publicUrl })
}

/** Demands the second step, once more if it was passed already. */
export async function stepUp(
  request: WebRequest,
  need: Need & Pick<Demand, 'returnTo' | 'giveUpTo' | 'carried'>,
): Promise<Outcome> {
  const { req, state, context } = request
  const { factors, phishingResistant, unknownBrowser, returnTo, giveUpTo, carried, purpose: action } = need
  await checkNeed(context, need)
  const requirement = { factors, phishingResistant, unknownBrowser, returnTo, giveUpTo, carried }
  if (!verifiedOf(state, context)) return demand(request, { ...requirement, purpose: 'sign_in' })
  const stepUpRequirement = { ...requirement, purpose: 'step_up' } as const
  if (action === undefined || isNavigation(req)) return demand(request, { ...stepUpRequirement, action })
  return refuse(request, { ...stepUpRequirement, action: await sealAction(context, action) })
}

/** An attacker who could write the address would otherwise choose what the user's device shows. */
async function sealAction({ mfa, userKey }: RequestContext, action: string): Promise<string> {
  const { sealer } = await mfa.connect()
  return sealer.seal(action, actionOf(userKey), mfa.options.random)
}

/** @returns undefined if this app did not seal it for this user. */
export async function openAction({ mfa, userKey }: RequestContext, sealed: string): Promise<string | undefined> {
  return (await mfa.connect()).sealer.open(sealed, actionOf(userKey))
}

const actionOf = (userKey: string | undefined) => `step-up of ${userKey}`

/** What a script can act on. Nothing is stored: the address says which challenge the user is to pass. */
export function refuse(
  { req, context }: Pick<WebRequest, 'req' | 'context'>,
  requirement: Demand = { purpose: 'sign_in' },
): Outcome {
  const { returnTo = requestedPath(req, context) } = requirement
  const path = challengePath(context, requirement, returnTo)
  if (isTurbo(req)) {
    context.trace?.note({ kind: 'sent', to: path })
    return { state: 'as-is', answer: redirect(path) }
  }
  const challenge = challengeAddress(context, requirement)
  context.trace?.note({ kind: 'refused', to: challenge })
  const message = 'Pass the second step first: send the user to the address in "challenge".'
  // A header reaches scripts that cannot read the body, and htmx opens a page by one.
  const headers = { 'MFA-Challenge': challenge, ...(isHtmx(req) && { 'HX-Redirect': path }) }
  return {
    state: 'as-is',
    answer: { kind: 'json', status: 403, body: { error: 'mfa_required', challenge, message }, headers },
  }
}
