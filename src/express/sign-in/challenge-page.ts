import { isPhishingResistant } from '../../contract/factor-descriptions.ts'
import type { ChallengeStatus } from '../../challenge/challenge-status.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import { codeFactors } from '../../challenge/code.ts'
import { readPauses } from '../../challenge/pauses.ts'
import { readStatus } from '../../challenge/push.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { findMember, userKeyOf } from '../../challenge/user.ts'
import type { User } from '../../contract/users.ts'
import type { Factor } from '../../contract/factor.ts'
import { browserProofPage } from '../pages/browser-proof-page.ts'
import { message } from '../pages/message.ts'
import { statusPage } from '../pages/status-page.ts'
import { isPrefetch, isScript } from '../request/navigation.ts'
import type { Outcome, StateChange } from '../request/outcome.ts'
import { andThen, redirect } from '../request/outcome.ts'
import type { RequestedChallenge } from '../request/requested-challenge.ts'
import { requestedChallenge } from '../request/requested-challenge.ts'
import { verifiedOf } from '../request/verified.ts'
import type { WebRequest } from '../request/web-request.ts'
import { browserCookie } from '../session/id-cookie.ts'
import { checkMember, warnOfNoPasskeys } from '../setup-checks/phishing-resistance.ts'
import { bindingOf } from '../session/id-cookie.ts'
import { saveUnderOwnId } from '../session/mfa-state.ts'
import { inBoundBrowser } from './bound-browser.ts'
import { findBrought } from './brought-factors.ts'
import { needsProof, unlessUnproven } from './browser-proof.ts'
import { openAction, refuse } from './demand.ts'
import { finishAndContinue, passedTo, spent } from './finish.ts'
import { takesHandedOverCode } from './handed-over-code.ts'
import { firstSetup } from './newcomer.ts'
import type { ChallengePolicy } from './challenge-policy.ts'
import { acceptedFactors, challengePolicy, needsOnlyPasskey } from './challenge-policy.ts'
import { defaultChallenge, openChallenge, withChallenge } from './open-challenge.ts'
import { canUsePasskey } from './passkey.ts'
import type { StartedChallenge } from './start-once.ts'
import { startOnce, startWithoutPush } from './start-once.ts'

/** `GET /mfa`: the status of the challenge. The first look starts it; a page without JavaScript completes it by reloading. */
export async function challengePage(request: WebRequest, signal: AbortSignal): Promise<Outcome> {
  const { req, context, state } = request
  if (isPrefetch(req)) return message(request, 503, 'not_ahead')
  const requested = isScript(req) ? undefined : requestedChallenge(req, context)
  if (requested) return openRequestedChallenge(request, requested)
  const passed = hasLostChallenge(request) ? undefined : passedTo(request)
  if (passed !== undefined) return { state: 'as-is', answer: redirect(passed) }
  if (state.challenge?.sessionId === undefined && (isScript(req) || req.method === 'HEAD')) return refuseScript(request)
  return boundPage(request, signal)
}

/** A verified user whose browser has not kept the cookie of a step-up would be led there and back for ever. */
function hasLostChallenge({ req, context, state }: WebRequest): boolean {
  return Boolean(state.otherChallenges?.length) && bindingOf(req, context) === undefined
}

const boundPage = inBoundBrowser((request) => withChallenge(request, showChallenge))

/** Only a user who looks at the page has a push request sent. */
async function refuseScript(request: WebRequest): Promise<Outcome> {
  await request.context.mfa.connect()
  return refuse(request)
}

/** Opens the challenge that the address asks for, and shows it under its plain address, which can be reloaded. */
async function openRequestedChallenge(
  request: WebRequest,
  { returnTo, action: sealed, ...requested }: RequestedChallenge,
): Promise<Outcome> {
  const { state, context } = request
  const verified = verifiedOf(state, context)
  const usual = defaultChallenge(request)
  const { factors, phishingResistant, unknownBrowser } = requested
  if (verified && requested.purpose === 'sign_in' && !factors && !phishingResistant && !unknownBrowser) {
    return { state: 'as-is', answer: redirect(returnTo ?? usual.returnTo) }
  }
  // Users who have not passed the second step sign in first, whatever they want to change afterwards.
  const verifiedPurpose = requested.purpose === 'change_devices' ? 'change_devices' : 'step_up'
  const purpose = verified ? verifiedPurpose : 'sign_in'
  const next = purpose === 'change_devices' ? `${context.base}/devices` : usual.returnTo
  const action = purpose === 'step_up' && sealed !== undefined ? await openAction(context, sealed) : undefined
  const { effects } = openChallenge(request, { ...usual, ...requested, purpose, action, returnTo: returnTo ?? next })
  return { ...effects, answer: redirect(context.base) }
}

async function showChallenge(request: WebRequest, stored: Challenge): Promise<Outcome> {
  const { context, user, query } = request
  const service = await context.mfa.connect()
  const loaded = unlessUnproven(request, stored)
  if (service.knowsBrowsers && needsProof(request, loaded)) {
    return { state: 'as-is', answer: browserProofPage(request, loaded) }
  }
  const before = await findMember(service, user)
  const policy = challengePolicy(request, loaded)
  checkMember(optionForPasskeys(policy), before)
  warnOfNoPasskeys(request, service, before)
  const options = { policy, membership: { service, member: before } }
  const { challenge, status: currentState, events } = await currentStatus(request, loaded, options)
  // The user may have been provisioned, or removed.
  const isGone = currentState.kind === 'no_member'
  const membership = { service, member: isGone ? undefined : (before ?? (await findMember(service, user))) }
  const { member } = membership
  const allowed = acceptedFactors(policy, membership)
  const passkeyNeeded = needsOnlyPasskey(policy, membership)
  const setup =
    currentState.kind === 'no_device' ? await firstSetup(request, challenge, { allowed, member }) : undefined
  if (setup) return { state: 'as-is', events, answer: redirect(`${context.base}/${setup}`) }
  // Continuing with an approval that is worth nothing would lead back here for ever.
  const isSpent = currentState.kind === 'approved' && query.has(spent)
  const status = isSpent
    ? timedOut
    : isForPasskeys(allowed, currentState)
      ? noPasskey(policy, membership)
      : currentState
  if (status.kind === 'approved' && query.get('page') === challenge.page) {
    return andThen(request, { state: 'as-is' }, (same, signal) => finishAndContinue(same, challenge, { signal }))
  }

  const takesHandedOver = takesHandedOverCode(request, challenge, { membership, policy })
  // No other code replaces the factors that the user brings.
  const brought = await findBrought(request, service, member)
  const availableCodes = brought ? [] : codeFactors(service, member, allowed)
  const passkey = canUsePasskey(policy, member)
  const pauses = await pausesOf(request, membership, status)
  const ended = endOf(challenge, status)
  return {
    state: stateAfter(request, stored, ended?.challenge ?? challenge, status),
    events: ended ? [...events, ended.event] : events,
    answer: statusPage(request, {
      challenge,
      status,
      availableCodes,
      passkey,
      passkeyNeeded,
      takesHandedOver,
      member,
      pauses,
      service,
    }),
  }
}

/** The option under which only passkeys count, as it was written. */
function optionForPasskeys(policy: ChallengePolicy): string | undefined {
  const { phishingResistant, unknownBrowser, resistanceHere } = policy
  if (phishingResistant !== 'off') return `phishingResistant: '${phishingResistant}'`
  return resistanceHere === 'off' ? undefined : `unknownBrowser: '${unknownBrowser}'`
}

const timedOut = { kind: 'ended', reason: 'timeout' } as const

/** The user has no passkey where only a passkey passes: everywhere, or in this browser. */
function noPasskey(policy: ChallengePolicy, membership: MembershipHere) {
  const isForBrowser =
    needsOnlyPasskey(policy, membership) && !needsOnlyPasskey(policy, membership, policy.phishingResistant)
  return { kind: 'ended', reason: isForBrowser ? 'unknown_browser' : 'phishing_resistance_required' } as const
}

/** Whether only a passkey passes, and the user has none for this app. */
function isForPasskeys(allowed: readonly Factor[], { kind }: ChallengeStatus): boolean {
  return kind === 'no_device' && allowed.every(isPhishingResistant)
}

/** The user, as the service knows it. */
interface MembershipHere {
  readonly service: ConnectedService
  readonly member: User | undefined
}

/** The status of the challenge; if no request was sent yet, it is started, unless a passkey can pass it. */
async function currentStatus(
  request: WebRequest,
  challenge: Challenge,
  { policy, membership }: { readonly policy: ChallengePolicy; readonly membership: MembershipHere },
): Promise<StartedChallenge> {
  const { service, member } = membership
  if (challenge.sessionId !== undefined) {
    return { challenge, status: await readStatus(service, challenge), events: [] }
  }
  const factors = acceptedFactors(policy, membership)
  if (canUsePasskey(policy, member)) return offersPasskey(challenge, factors, member)
  return factors.includes('push') ? startOnce(request, challenge, member) : startWithoutPush(request, challenge, member)
}

function offersPasskey(challenge: Challenge, allowed: readonly Factor[], member: User | undefined): StartedChallenge {
  const canAskDevice = allowed.includes('push') && member?.factors?.includes('push') === true
  return { challenge, status: { kind: 'passkey', canAskDevice }, events: [] }
}

/** An activation code is a secret: it is shown only under a session id of the user's own. */
function stateAfter(
  { state, user }: WebRequest,
  loaded: Challenge,
  challenge: Challenge,
  { kind }: ChallengeStatus,
): StateChange {
  const changed = challenge === loaded ? state : { ...state, challenge }
  if (kind === 'enrolling') return saveUnderOwnId(state, userKeyOf(user), changed)
  return changed === state ? 'detach' : { save: changed }
}

/** Read where the page offers other factors; while the device is asked or has approved, it offers none. */
async function pausesOf(
  { req, context, query }: WebRequest,
  { service, member }: MembershipHere,
  { kind }: ChallengeStatus,
) {
  const isUnderWay = kind === 'waiting' || kind === 'approved' || kind === 'enrolling'
  if (isUnderWay && !query.has('use')) return {}
  return member ? readPauses(service, member, browserCookie.read(req, context)) : {}
}

/** The app is told of a session that did not end in approval once, however often the page is loaded. */
function endOf(challenge: Challenge, status: ChallengeStatus) {
  const { sessionId, reportedSessionId } = challenge
  if (status.kind !== 'ended' || sessionId === undefined || reportedSessionId === sessionId) return undefined
  const event = { type: 'push.ended', sessionId, reason: status.reason } as const
  const reported = { ...challenge, scanSecret: undefined, reportedSessionId: sessionId }
  // The service does not know the key: from now on, the page offers what it accepts from a new browser.
  const isNew = status.reason === 'unknown_browser'
  return { challenge: isNew ? { ...reported, browserProof: '' } : reported, event }
}
