import { ApiError } from '../client/errors.ts'
import type { Attribute, Session, SessionReason } from '../contract/sessions.ts'
import type { Challenge, Verified } from './challenge.ts'
import type { ConnectedService } from './service.ts'
import type { MfaUser } from './user.ts'
import { findUser, provisionUser, referenceOf } from './user.ts'

/** Where a challenge stands; what its page shows. */
export type Standing =
  /** The device was asked. `number` is to be typed there. */
  | {
      readonly kind: 'waiting'
      readonly number: string | undefined
      readonly createdAt: number
      readonly expiresAt: number
    }
  /** The device said yes; the web session may now be verified. */
  | { readonly kind: 'approved' }
  | { readonly kind: 'ended'; readonly reason: SessionReason }
  /** Nothing was ever enrolled: this code sets up the authenticator. */
  | { readonly kind: 'enrolling'; readonly code: string }
  /** There is no device now, and only an administrator may allow a new one. */
  | { readonly kind: 'no_device' }
  /** The service does not know the user, or not in this domain. */
  | { readonly kind: 'no_member' }

export interface Sender {
  readonly user: MfaUser
  readonly attributes: readonly Attribute[]
  readonly ipAddress: string | undefined
}

export interface FlowOptions {
  readonly numberMatching: boolean
  readonly provision: boolean
}

/** The challenge as it is from now on, and where it stands. */
export interface Step {
  readonly challenge: Challenge
  readonly standing: Standing
}

/** Asks the device. Where none is enrolled, answers what there is to do instead. */
export async function start(
  service: ConnectedService,
  challenge: Challenge,
  sender: Sender,
  options: FlowOptions,
): Promise<Step> {
  try {
    return await push(service, challenge, sender, options)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'api.error.notfound.token') return { challenge, standing: await enrol(service, sender.user) }
    if (error.code !== 'api.error.notfound.user') throw error
    return { challenge, standing: await join(service, sender.user, options) }
  }
}

async function push(
  service: ConnectedService,
  challenge: Challenge,
  sender: Sender,
  options: FlowOptions,
): Promise<Step> {
  const session = await service.client.sessions.create(service.domainId, {
    user: referenceOf(sender.user),
    attributes: [...sender.attributes],
    challenge: challenge.id,
    numberMatching: options.numberMatching,
    ...(sender.ipAddress === undefined ? {} : { ipAddress: sender.ipAddress }),
  })
  return { challenge: { ...challenge, sessionId: session.id }, standing: standingOf(session) }
}

/**
 * Offers a device only to who never had a factor anywhere: otherwise whoever knows the password could add one. The
 * service checks the same again when the device is stored.
 */
async function enrol(service: ConnectedService, user: MfaUser): Promise<Standing> {
  const known = await findUser(service, user)
  if (!known) return { kind: 'no_member' }
  if (known.everEnrolled !== false) return { kind: 'no_device' }
  const token = await service.client.tokens.issue(service.domainId, known.id)
  return token.code === undefined ? { kind: 'no_device' } : { kind: 'enrolling', code: token.code }
}

async function join(service: ConnectedService, user: MfaUser, options: FlowOptions): Promise<Standing> {
  if (!options.provision || (await findUser(service, user))) return { kind: 'no_member' }
  return (await provisionUser(service, user)) ? await enrol(service, user) : { kind: 'no_member' }
}

/** Where the challenge stands now. Only reads. */
export async function look(service: ConnectedService, challenge: Challenge): Promise<Standing> {
  if (challenge.sessionId === undefined) return { kind: 'ended', reason: 'cancelled' }
  try {
    return standingOf(await service.client.sessions.get(service.domainId, challenge.sessionId))
  } catch (error) {
    if (isGone(error)) return { kind: 'ended', reason: 'timeout' }
    throw error
  }
}

/** Waits until the followed session settles, at most `timeout` ms. Only reads. */
export async function follow(
  service: ConnectedService,
  sessionId: string,
  waiting: { timeout: number; signal: AbortSignal },
): Promise<Standing> {
  try {
    return standingOf(await service.client.sessions.wait(service.domainId, sessionId, waiting))
  } catch (error) {
    if (isGone(error)) return { kind: 'ended', reason: 'timeout' }
    throw error
  }
}

/** Whether the user's device is ready to be asked. Only reads. */
export async function isActivated(service: ConnectedService, user: MfaUser): Promise<boolean> {
  const known = await findUser(service, user)
  if (!known) return false
  try {
    return (await service.client.tokens.get(service.domainId, known.id)).state === 'active'
  } catch (error) {
    if (error instanceof ApiError && error.code === 'api.error.notfound.token') return false
    throw error
  }
}

/**
 * Uses the approval up. The service answers yes once, to the challenge that asked: whoever gets the answer may be
 * verified, nobody else.
 */
export async function redeem(service: ConnectedService, challenge: Challenge): Promise<Verified | undefined> {
  if (challenge.sessionId === undefined) return undefined
  const session = await redeemSession(service, challenge.sessionId, challenge.id)
  if (session?.state !== 'approved' || session.settledAt === undefined || session.createdAt === undefined)
    return undefined
  // An approval from before the challenge was demanded proves nothing about now.
  if (session.createdAt < challenge.createdAt) return undefined
  return { at: session.settledAt, factor: session.factor ?? 'push', userKey: challenge.userKey }
}

async function redeemSession(
  service: ConnectedService,
  sessionId: string,
  challengeId: string,
): Promise<Session | undefined> {
  try {
    return await service.client.sessions.redeem(service.domainId, sessionId, challengeId)
  } catch (error) {
    if (isGone(error) || (error instanceof ApiError && error.code === 'api.error.conflict.state')) return undefined
    throw error
  }
}

/** Takes the request back from the device. Does nothing when it is settled. */
export async function cancel(service: ConnectedService, challenge: Challenge): Promise<void> {
  if (challenge.sessionId === undefined) return
  try {
    await service.client.sessions.cancel(service.domainId, challenge.sessionId)
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'api.error.notfound.session'
}

function standingOf(session: Session): Standing {
  if (session.state === 'approved') return { kind: 'approved' }
  if (session.state !== 'pending') return { kind: 'ended', reason: session.reason ?? 'user_denied' }
  return {
    kind: 'waiting',
    number: session.number,
    createdAt: session.createdAt ?? 0,
    expiresAt: session.expiresAt ?? 0,
  }
}
