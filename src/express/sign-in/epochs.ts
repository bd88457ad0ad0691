import type { IncomingMessage } from 'node:http'

import type { Verified } from '../../challenge/challenge.ts'
import type { Epochs } from '../../challenge/epochs.ts'
import type { MfaUser } from '../../challenge/user.ts'
import { userKeyOf } from '../../challenge/user.ts'
import type { RequestContext } from '../request/context.ts'
import { emit } from '../request/events.ts'
import { logFailure } from '../request/service-outage.ts'
import { saveMfaState, readMfaState } from '../session/web-session.ts'

/** By the service that an mfa() asks: for requests that no mfa() sees. */
const shared = new Map<string, Epochs>()

export function shareEpochs(serviceId: string, epochs: Epochs): void {
  shared.set(serviceId, epochs)
}

/** Whether it has to be asked if the record of this web session was ended, before anything relies on it. */
export function needsEpochCheck(req: IncomingMessage, { mfa, userKey }: RequestContext): boolean {
  return userKey !== undefined && readMfaState(req).verified !== undefined && !mfa.epochs.isKnown(userKey)
}

/** Asks, and tells the app where nothing came of it. */
export async function checkEpoch(req: IncomingMessage, context: RequestContext, user: MfaUser): Promise<void> {
  const { epochs } = context.mfa
  const unchecked = await epochs.ask(user)
  if (!unchecked) return
  const { error, until } = unchecked
  const untilWhen = new Date(until * 1000).toISOString()
  const what = `the service could not be asked whether a verified web session was ended; it goes on until ${untilWhen}`
  logFailure(context, what, error)
  emit(req, context, { type: 'verification.unchecked', until })
}

/** Whether a record is known to be ended, where nobody can wait; who is not known is asked about for the next time. */
export function isEnded(serviceId: string | undefined, user: MfaUser, verified: Verified): boolean {
  const epochs = serviceId === undefined ? undefined : shared.get(serviceId)
  if (!epochs) return false
  if (!epochs.isKnown(userKeyOf(user))) void epochs.ask(user)
  return !epochs.believes(verified)
}

/**
 * Makes a change that ends the user's verified web sessions, all but this one: it knows the next epoch before the service
 * does, so that nothing that happens in between can end it.
 */
export async function withNextEpoch<T>(
  req: IncomingMessage,
  context: RequestContext,
  change: (epoch: string) => Promise<T>,
): Promise<T> {
  const epoch = await drawEpoch(req, context)
  try {
    return await change(epoch)
  } finally {
    const { verified } = readMfaState(req)
    if (verified) context.mfa.epochs.doubt(verified.userKey)
  }
}

/** The same for a change that comes later and elsewhere: the next epoch that this web session knows. */
export async function nextEpoch(req: IncomingMessage, context: RequestContext): Promise<string> {
  const { verified } = readMfaState(req)
  const known = verified?.nextEpoch
  const isUsed = verified !== undefined && context.mfa.epochs.current(verified.userKey) === known
  return known === undefined || isUsed ? drawEpoch(req, context) : known
}

async function drawEpoch(req: IncomingMessage, { mfa }: RequestContext): Promise<string> {
  const drawn = Buffer.from(mfa.options.random(16)).toString('base64url')
  const { verified, ...rest } = readMfaState(req)
  if (!verified) return drawn
  const { userKey, nextEpoch: before } = verified
  // The change before this one may have been made.
  const epoch = before !== undefined && mfa.epochs.current(userKey) === before ? before : verified.epoch
  await saveMfaState(req, { ...rest, verified: { ...verified, epoch, nextEpoch: drawn } })
  return drawn
}
