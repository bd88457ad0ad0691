import { ApiError } from '../client/errors.ts'
import type { Attribute } from '../contract/sessions.ts'
import type { User } from '../contract/users.ts'
import { withSession } from './challenge.ts'
import type { Challenge } from './challenge.ts'
import type { ProvisionOptions } from './enrollment.ts'
import { enroll, provisionAndEnroll } from './enrollment.ts'
import type { ChallengeStatus } from './challenge-status.ts'
import { statusOf } from './challenge-status.ts'
import { secondsToWait, unlessRejected } from './rejection.ts'
import { narrow } from './policy.ts'
import type { Policy } from './policy.ts'
import type { ConnectedService } from './service.ts'
import type { MfaUser } from './user.ts'
import { findMember, referenceOf } from './user.ts'

/** The user and browser that send a request, as the device shows them. */
export interface Sender {
  readonly user: MfaUser
  readonly attributes: readonly Attribute[]
  readonly ipAddress: string | undefined
  /** The id of the browser, as its cookie holds it. */
  readonly browser: string | undefined
  /** The relying party of the app; undefined where browsers accept no passkeys. */
  readonly rpId: string | undefined
  /** The policy of the app; the challenge may ask for more. */
  readonly policy: Policy
  /** The origin that a page of the app signs; undefined where it cannot. */
  readonly origin: string | undefined
}

export interface PushOptions extends ProvisionOptions {
  /** The user, where the web request has read it already. */
  readonly member: User | undefined
  readonly numberMatching: boolean
  /** Unix time, seconds. */
  readonly now: number
}

/** How soon a request may be sent again, seconds: users should first look at their device. */
export const sendAgainAfter = 15

/** A challenge after a step, and its status now. */
export interface Progress {
  readonly challenge: Challenge
  readonly status: ChallengeStatus
}

/**
 * Sends a push request. If that fails, the returned status says what the user can do instead. A member without any device is not tried:
 * the answer is known.
 */
export async function start(
  service: ConnectedService,
  challenge: Challenge,
  sender: Sender,
  options: PushOptions,
): Promise<Progress> {
  const { member } = options
  try {
    if (member?.factors && !member.factors.includes('push')) {
      return { challenge, status: await statusWithoutDevice(service, challenge, options, member) }
    }
    return await push(service, challenge, sender, options)
  } catch (error) {
    return {
      challenge,
      status: await statusWhenPushFailed(service, { challenge, user: sender.user, options, error }),
    }
  }
}

async function push(
  service: ConnectedService,
  challenge: Challenge,
  sender: Sender,
  options: PushOptions,
): Promise<Progress> {
  const session = await service.client.sessions.create(service.domainId, {
    ...describe(challenge, sender),
    ...(challenge.binding !== undefined && { binding: challenge.binding }),
    ...(challenge.enrollment === 'offered' && { enrolling: true }),
    numberMatching: options.numberMatching,
  })
  const asks = (challenge.asks ?? 0) + 1
  const { scanSecret, deviceName } = session
  const asked = withSession(challenge, session, options.now)
  const pushed = { ...asked, scanSecret, deviceName, asks, givenFactor: undefined }
  return { challenge: pushed, status: statusOf(session, pushed) }
}

/** The members of every session of a challenge. */
export function describe(challenge: Challenge, sender: Sender) {
  const { user, attributes, ipAddress, browser, rpId, origin } = sender
  const { browserProof: signature } = challenge
  const { phishingResistant, unknownBrowser } = narrow(sender.policy, challenge)
  return {
    user: referenceOf(user),
    attributes: [
      ...(challenge.action === undefined ? [] : [{ key: 'Purpose', value: challenge.action }]),
      ...attributes,
    ],
    challenge: challenge.id,
    ...(browser === undefined ? {} : { browser }),
    ...(signature && origin !== undefined ? { browserProof: { origin, signature } } : {}),
    unknownBrowser,
    // The device shows what is approved, and the service accepts the approval for nothing else.
    ...(challenge.purpose === 'change_devices' ? { purpose: challenge.purpose } : {}),
    ...(ipAddress === undefined ? {} : { ipAddress }),
    // A domain that prefers passkeys asks whether the user has one for this app.
    ...(rpId === undefined ? {} : { rpId }),
    ...(phishingResistant === 'off' ? {} : { phishingResistant }),
  }
}

async function statusWhenPushFailed(
  service: ConnectedService,
  { challenge, user, options, error }: { challenge: Challenge; user: MfaUser; options: PushOptions; error: unknown },
): Promise<ChallengeStatus> {
  const wait = secondsToWait(error)
  if (wait !== undefined) return { kind: 'throttled', until: options.now + wait }
  if (!(error instanceof ApiError)) throw error
  if (error.code === 'api.error.notfound.token') {
    return statusWithoutDevice(service, challenge, options, options.member ?? (await findMember(service, user)))
  }
  if (error.code === 'api.error.notfound.user') return provisionAndEnroll(service, user, options)
  throw error
}

/** A verified user had a factor. If it was removed since, perhaps because of an intruder, they have to sign in first. */
async function statusWithoutDevice(
  service: ConnectedService,
  { purpose }: Challenge,
  options: PushOptions,
  member: User | undefined,
): Promise<ChallengeStatus> {
  return purpose === 'sign_in' ? enroll(service, member, options) : { kind: 'no_device' }
}

/** The status of the challenge now. Only reads. */
export async function readStatus(service: ConnectedService, challenge: Challenge): Promise<ChallengeStatus> {
  if (challenge.sessionId === undefined) return { kind: 'ended', reason: 'cancelled' }
  const session = await unlessGone(service.client.sessions.get(service.domainId, challenge.sessionId))
  return session ? statusOf(session, challenge) : { kind: 'ended', reason: 'timeout' }
}

/** Resolves once the session is settled, whatever the result. Only reads. */
export async function whenSettled(
  service: ConnectedService,
  { sessionId }: { readonly sessionId: string },
  signal: AbortSignal,
): Promise<void> {
  await unlessGone(service.client.sessions.whenSettled(service.domainId, sessionId, { signal }))
}

/** Cancels the request on the device. Does nothing if the session is settled. */
export async function cancel(service: ConnectedService, challenge: Challenge): Promise<void> {
  if (challenge.sessionId === undefined) return
  await unlessGone(service.client.sessions.cancel(service.domainId, challenge.sessionId))
}

const unlessGone = <T>(call: Promise<T>): Promise<T | undefined> => unlessRejected(call, 'api.error.notfound.session')
