import type { Challenge } from '../../challenge/challenge.ts'
import { provisionMember } from '../../challenge/enrollment.ts'
import type { Progress, PushOptions, Sender } from '../../challenge/push.ts'
import { cancel, start } from '../../challenge/push.ts'
import type { ChallengeStatus } from '../../challenge/challenge-status.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { findMember } from '../../challenge/user.ts'
import type { User } from '../../contract/users.ts'
import { quoteName } from '../../contract/quote-name.ts'
import { mailSettingsOf } from '../pages/mail-settings.ts'
import { appOriginOf } from '../request/app-origin.ts'
import { clientAddress, clientAttributes, placeAttributes } from '../request/client-facts.ts'
import type { EventFacts } from '../options/mfa-event.ts'
import { relyingPartyOf } from '../request/passkeys.ts'
import type { WebRequest } from '../request/web-request.ts'
import { browserCookie } from '../session/id-cookie.ts'
import { warn } from '../request/warn.ts'
import { warnOfUnusable } from '../request/app-user.ts'
import { findBrought, statusOfBrought } from './brought-factors.ts'
import { maySelfEnroll } from './newcomer.ts'

/** How long a start is remembered, ms: longer than storing a web session takes, shorter than the pause before a resend. */
const rememberedFor = 10_000

/** Starts by challenge and number of its requests so far: each request has one successor. */
const starts = new Map<string, Promise<Progress>>()

/** A challenge after a look at its status, and the events of that. */
export interface StartedChallenge extends Progress {
  readonly events: readonly EventFacts[]
}

/**
 * Sends a push request in place of the current one. Pages that load, and buttons that are pressed, at the same moment send
 * it once: all of them have loaded the web session before any could save in it that a request was sent.
 *
 * @param member The user, where the request has read it already.
 */
export async function startOnce(request: WebRequest, challenge: Challenge, member?: User): Promise<StartedChallenge> {
  const name = `${challenge.id} ${challenge.asks ?? 0}`
  const runningStart = starts.get(name)
  if (runningStart) return { ...(await runningStart), events: [] }
  const pushStart = sendPush(request, challenge, member)
  starts.set(name, pushStart)
  const forget = () => void starts.delete(name)
  try {
    const progress = await pushStart
    if (progress.challenge.sessionId === undefined) forget()
    else request.context.mfa.options.clock.after(rememberedFor, forget)
    return { ...progress, events: eventsOf(request, challenge, progress) }
  } catch (error) {
    forget()
    throw error
  }
}

async function sendPush(request: WebRequest, challenge: Challenge, member: User | undefined): Promise<Progress> {
  const service = await request.context.mfa.connect()
  await cancel(service, challenge)
  const started = await start(service, reset(challenge), await locatedSender(request), {
    ...pushOptionsOf(request, service, challenge),
    member,
  })
  const progress = { ...started, challenge: withEnrollment(started) }
  // Other services do not say which codes were issued for a page.
  return service.knowsFactors ? progress : { ...started, challenge: withShownCode(request, service, progress) }
}

/** The status of a challenge that push does not pass. No request is sent to a device, and no activation code is issued. */
export async function startWithoutPush(
  request: WebRequest,
  challenge: Challenge,
  member: User | undefined,
): Promise<StartedChallenge> {
  const service = await request.context.mfa.connect()
  const notProvisioned = member
    ? undefined
    : await provisionMember(service, request.user, pushOptionsOf(request, service, challenge))
  const mayBring = challenge.purpose === 'sign_in' && !notProvisioned
  const brought = mayBring
    ? await newcomerStatus(request, service, member ?? (await findMember(service, request.user)))
    : undefined
  const progress = { challenge, status: notProvisioned ?? brought ?? ({ kind: 'no_device' } as const) }
  return { ...progress, events: eventsOf(request, challenge, progress) }
}

/** What the page shows to a user whose factors another system has; undefined for all others. */
async function newcomerStatus(
  request: WebRequest,
  service: ConnectedService,
  member: User | undefined,
): Promise<ChallengeStatus | undefined> {
  const brought = await findBrought(request, service, member)
  return brought && statusOfBrought(brought)
}

/** The same challenge before any request was sent, and without a notice. */
function reset(challenge: Challenge): Challenge {
  const { sessionId, scanSecret: _secret, notice: _notice, ...rest } = challenge
  return sessionId === undefined ? challenge : rest
}

/** A first device that was offered and now responds to requests was enrolled during this challenge. */
function withEnrollment({ challenge, status }: Progress): Challenge {
  const { enrollment } = challenge
  if (status.kind === 'enrolling' && enrollment === undefined) return { ...challenge, enrollment: 'offered' }
  return status.kind === 'waiting' && enrollment === 'offered' ? { ...challenge, enrollment: 'done' } : challenge
}

/** The events of a start, and the warning where a user was not provisioned. */
function eventsOf(
  { context, user }: WebRequest,
  { enrollment }: Challenge,
  { challenge: { sessionId }, status }: Progress,
): readonly EventFacts[] {
  if (status.kind === 'throttled') return [{ type: 'push.throttled', until: status.until }]
  if (status.kind === 'enrolling') return [{ type: 'enrollment.offered' }]
  if (status.kind === 'similar_name') {
    const name = quoteName(user.username ?? '')
    warn(context.mfa.options, `the user ${name} was not provisioned: ${status.reason} See the option usernames.`)
  }
  if (status.kind !== 'waiting') return []
  return [
    ...(enrollment === 'offered' ? [{ type: 'factor.added', kind: 'device', id: undefined } as const] : []),
    ...(sessionId === undefined ? [] : [{ type: 'push.sent', sessionId } as const]),
  ]
}

export function senderOf(request: WebRequest): Sender {
  const { req, context, user } = request
  const browser = browserCookie.read(req, context)
  const rpId = relyingPartyOf(request)?.id
  const client = { attributes: clientAttributes(req), ipAddress: clientAddress(req), browser }
  return { user, ...client, rpId, policy: context.mfa.policy, origin: appOriginOf(request) }
}

/** The same with the place, which only a device shows. */
async function locatedSender(request: WebRequest): Promise<Sender> {
  const sender = senderOf(request)
  const place = await placeAttributes(request.context.mfa.options, sender.ipAddress)
  return { ...sender, attributes: [...place, ...sender.attributes] }
}

function pushOptionsOf(
  request: WebRequest,
  service: ConnectedService,
  challenge: Challenge,
): Omit<PushOptions, 'member'> {
  const { context } = request
  const { numberMatching, provision, usernames, clock } = context.mfa.options
  return {
    numberMatching,
    provision,
    usernames,
    now: clock.now(),
    mayEnroll: (member) => maySelfEnroll(request, service, member),
    statusOfBrought: (member) => newcomerStatus(request, service, member),
    shownCode: shownCodeOf(request, service, challenge),
    ...mailSettingsOf(request),
    onUnusable: (member, reason) => warnOfUnusable(context.mfa.options, member, reason),
  }
}

/** Remembers the code that the page is about to show. */
function withShownCode(request: WebRequest, service: ConnectedService, { challenge, status }: Progress): Challenge {
  if (status.kind !== 'enrolling' || shownCodeOf(request, service, challenge) === status.code) return challenge
  const { random } = request.context.mfa.options
  return { ...challenge, shownCode: service.sealer.seal(status.code, sealedFor(request), random) }
}

function shownCodeOf(request: WebRequest, { sealer }: ConnectedService, { shownCode }: Challenge): string | undefined {
  return shownCode === undefined ? undefined : sealer.open(shownCode, sealedFor(request))
}

const sealedFor = ({ context }: WebRequest): string => `activation code of ${context.userKey}`
