import type { Challenge, Notice } from '../../challenge/challenge.ts'
import { readCode, tryCode } from '../../challenge/code.ts'
import type { Membership } from '../../challenge/passkey-policy.ts'
import { findMember, userKeyOf } from '../../challenge/user.ts'
import { isBeforeEnd } from '../../ground/clock.ts'
import type { KnownBrowser } from '../../contract/browsers.ts'
import type { EventFacts } from '../options/mfa-event.ts'
import type { Outcome } from '../request/outcome.ts'
import { continueAt, leadTo } from '../request/outcome.ts'
import { canAddPasskeys } from '../request/passkeys.ts'
import { verifiedOf } from '../request/verified.ts'
import type { WebRequest } from '../request/web-request.ts'
import { bindingOf } from '../session/id-cookie.ts'
import { eventsOf } from './code-entry.ts'
import type { ChallengePolicy } from './challenge-policy.ts'
import { challengePolicy, needsOnlyPasskey } from './challenge-policy.ts'
import { withChallenge } from './open-challenge.ts'
import { offeredKey, passedBrowser, rememberBrowser } from './remembered.ts'
import { senderOf } from './start-once.ts'

/** The length of a bypass code. */
const codeLength = 9

/** The effect of a code of an administrator: it leads to a new passkey, or keeps this browser. */
export type HandedOver = 'passkey' | 'browser'

/**
 * What a code that an administrator hands over may do for this user, if anything: during a sign-in that takes nothing but a
 * passkey, here or anywhere. Verified users change their passkeys on `/mfa/devices`.
 */
export function takesHandedOverCode(
  request: WebRequest,
  challenge: Challenge,
  { membership, policy }: { readonly membership: Membership; readonly policy: ChallengePolicy },
): HandedOver | undefined {
  const { state, context } = request
  const { devices } = context.mfa.options
  const isTaken =
    challenge.purpose === 'sign_in' &&
    !verifiedOf(state, context) &&
    devices.factors.includes('bypass') &&
    membership.member !== undefined &&
    needsOnlyPasskey(policy, membership)
  if (!isTaken) return undefined
  if (policy.unknownBrowser === 'deny' && !challenge.browserProof) {
    // Where a kept browser would not help either, the service takes no such code.
    return needsOnlyPasskey(policy, membership, policy.phishingResistant) ? undefined : 'browser'
  }
  return canAddPasskeys(request, membership.member) ? 'passkey' : undefined
}

/**
 * `POST /mfa/passkey/code`: a code that an administrator handed over. The service approves only such a one, for changing
 * passkeys or for keeping this browser. It does not verify the web session: the sign-in that follows does.
 */
export function enterHandedOverCode(request: WebRequest): Promise<Outcome> {
  return withChallenge(request, async (opened, challenge) => {
    const { context, user, form } = opened
    const service = await context.mfa.connect()
    const membership = { service, member: await findMember(service, user) }
    const policy = challengePolicy(opened, challenge)
    const purpose = takesHandedOverCode(opened, challenge, { membership, policy })
    if (!purpose) return leadTo(opened, context.base)
    const { publicKey } = offeredKey(opened)
    // The code would be used up for nothing.
    if (purpose === 'browser' && !publicKey) return withNotice(opened, challenge, { kind: 'no_browser_key' }, [])
    const code = readCode(form['code'])
    if (code?.length !== codeLength) return withNotice(opened, challenge, { kind: 'no_code' }, [])
    const now = context.mfa.options.clock.now()
    const newChallenge = { ...challenge, purpose: 'change_devices', action: undefined } as const
    const browser = purpose === 'browser' ? { ...passedBrowser(opened, newChallenge), publicKey } : undefined
    const outcome = await tryCode(service, newChallenge, senderOf(opened), { code, now, ...(browser && { browser }) })
    if (outcome === 'no user') return leadTo(opened, context.base)
    if (outcome.notice) return withNotice(opened, challenge, outcome.notice, eventsOf(outcome))
    if (purpose === 'browser') return startInKeptBrowser(opened, challenge, outcome.redeemed?.browser)
    return outcome.redeemed ? allow(opened, challenge, outcome.redeemed.id) : leadTo(opened, context.base)
  })
}

/** Saves under a new session id: an attacker who knows the old one must not add a passkey. */
function allow(request: WebRequest, challenge: Challenge, sessionId: string): Outcome {
  const { context, state, user } = request
  const { clock, devices } = context.mfa.options
  const { binding = '' } = challenge
  const passkeyPass = { userKey: userKeyOf(user), sessionId, binding, until: clock.now() + devices.maxAge }
  return {
    state: { renew: { ...state, challenge: { ...challenge, notice: undefined }, passkeyPass } },
    events: [{ type: 'passkey.allowed', sessionId }],
    answer: continueAt(request, `${context.base}/enroll/passkey`),
  }
}

/** Starts over with a challenge that this browser signs. Under a new session id: an attacker may know the old one. */
function startInKeptBrowser(request: WebRequest, challenge: Challenge, keptBrowser: KnownBrowser | undefined): Outcome {
  const { context, state } = request
  if (!keptBrowser) return leadTo(request, context.base)
  const { cookies, events } = rememberBrowser(request, challenge, keptBrowser)
  const returnTo = encodeURIComponent(challenge.returnTo)
  return {
    state: { renew: { ...state, challenge: undefined } },
    cookies,
    events,
    answer: continueAt(request, `${context.base}?returnTo=${returnTo}`),
  }
}

/** The session by which this user may add a passkey in this browser, unless that has expired. */
export function passkeyPassOf({ req, state: { passkeyPass }, context }: WebRequest): string | undefined {
  if (passkeyPass === undefined || passkeyPass.userKey !== context.userKey) return undefined
  if (passkeyPass.binding !== bindingOf(req, context)) return undefined
  const { clock, devices } = context.mfa.options
  return isBeforeEnd(passkeyPass.until, devices.maxAge, clock.now()) ? passkeyPass.sessionId : undefined
}

function withNotice(request: WebRequest, challenge: Challenge, notice: Notice, events: readonly EventFacts[]): Outcome {
  return {
    state: { save: { ...request.state, challenge: { ...challenge, notice } } },
    events,
    answer: continueAt(request, `${request.context.base}?use=handed-over`),
  }
}
