import { notifyRevoked } from '../../engine/waiting/notify.ts'
import { audit, auditRevoked } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { announceRevoked } from '../factors/announcements.ts'
import { ApiProblem, tooManyRequests } from '../../engine/base/problem.ts'
import { slowHashes } from '../../engine/base/slow-hashes.ts'
import { isSameText } from '../../../ground/same-text.ts'
import type { DeviceRow } from '../factors/possessions.ts'
import { deviceById, forgetPinTries, noteWrongPin, pinRule, takePinTry } from './statements.ts'
import { organizationOfDomain } from '../domains/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { revokeTokens } from './token-statements.ts'
import { isPin } from './pin.ts'
import { requireActive } from './signed-call.ts'

/** A PIN attempt that was taken and is still to be checked. */
export interface ReservedAttempt {
  readonly device: DeviceRow
  readonly attempt: string
  /** The number of attempts that the domain allows. */
  readonly max: number
  /** The stored hash; undefined if no attempts were left. */
  readonly hash: string | undefined
  /** Whether this attempt was already taken, and is being checked. */
  readonly isRetry?: boolean
}

/** Takes an attempt if the domain requires a PIN, in the transaction that uses the call up. */
export async function reserveRequiredPin(
  ctx: ServiceContext,
  db: Queryable,
  attempt: { readonly device: DeviceRow; readonly attempt: string; readonly pin: string | undefined },
): Promise<ReservedAttempt | undefined> {
  const rule = await pinRule(db, attempt.device.domainId)
  if (!rule || rule.keyType === 'NONE') return undefined
  if (attempt.pin === undefined) throw new ApiProblem('api.error.invalid.pin', 'pin: required.')
  return reserveAttempt(ctx, db, { ...attempt, max: rule.maxAllowedRetries })
}

/**
 * Takes an attempt, in a transaction, before the PIN is checked.
 * @throws {ApiProblem} if this attempt was already taken and was wrong, or if no more PINs can be checked now: that takes no attempt.
 */
export async function reserveAttempt(
  ctx: ServiceContext,
  db: Queryable,
  reservation: { readonly device: DeviceRow; readonly attempt: string; readonly max: number },
): Promise<ReservedAttempt> {
  const { device, attempt, max } = reservation
  if (!ctx.pinChecks.has(nameOf(reservation))) slowHashes.requireRoom('pin')
  const reserved = await takePinTry(db, { deviceId: device.id, attempt, max })
  if (reserved?.pin) return { device, attempt, max, hash: reserved.pin }
  const currentDevice = await deviceById(db, device.id)
  if (currentDevice?.pinWrong === attempt) throw wrongPin(max - currentDevice.pinTries)
  const isRetry = currentDevice?.pinAttempt === attempt
  return { device, attempt, max, hash: undefined, isRetry }
}

const nameOf = ({ device, attempt }: { readonly device: DeviceRow; readonly attempt: string }) =>
  `${device.id} ${attempt}`

/**
 * Checks a PIN after its attempt was taken. Hashing takes time, so do not wait for it in a transaction.
 * A retry waits for the check under way.
 * @throws {ApiProblem} if the PIN is wrong, and the last attempt revokes the token; or "try again" while another process checks the same attempt.
 */
export async function checkPin(ctx: ServiceContext, reserved: ReservedAttempt, pin: string): Promise<void> {
  if (reserved.isRetry) return joinCheck(ctx, reserved, pin)
  const result = requireRightPin(ctx, reserved, pin)
  ctx.pinChecks.set(nameOf(reserved), { pin, result })
  try {
    await result
  } finally {
    ctx.pinChecks.delete(nameOf(reserved))
  }
}

/** Waits for the check of the same attempt. Another PIN is no retry: it must not pass by the check of the right one. */
function joinCheck(ctx: ServiceContext, reserved: ReservedAttempt, pin: string): Promise<void> {
  const underWay = ctx.pinChecks.get(nameOf(reserved))
  if (underWay && isSameText(underWay.pin, pin)) return underWay.result
  throw tooManyRequests({ limit: 'this PIN is being checked', wait: 1, now: ctx.clock.now() })
}

async function requireRightPin(ctx: ServiceContext, reserved: ReservedAttempt, pin: string): Promise<void> {
  if (reserved.hash !== undefined && (await isRight(ctx, reserved, pin))) {
    return forgetPinTries(ctx.store.db, reserved.device.id)
  }
  const triesLeft = await ctx.store.db.transaction().execute((db) => countWrong(ctx, db, reserved))
  throw triesLeft > 0 ? wrongPin(triesLeft) : new ApiProblem('api.error.device.revoked')
}

function isRight(ctx: ServiceContext, { device, hash = '' }: ReservedAttempt, pin: string): Promise<boolean> {
  return isPin(pin, ctx.secrets.open(hash, { kind: 'pin', id: device.id, userId: device.userId }))
}

/** @returns how many attempts are left. */
async function countWrong(
  ctx: ServiceContext,
  db: Queryable,
  { device, attempt, max }: ReservedAttempt,
): Promise<number> {
  const failures = await noteWrongPin(db, device.id, attempt)
  if (failures === undefined) await requireActive(db, device.id)
  // Another call has revoked it meanwhile.
  if (failures === undefined) return 0
  const { id, domainId, userId } = device
  const organizationId = await organizationOfDomain(db, domainId)
  const by = { organizationId, actor: { kind: 'device', id } } as const
  const facts = { device: id, domain: domainId, user: userId, failures }
  await audit(db, ctx, { ...by, event: failures < max ? 'pin.refused' : 'pin.exhausted', facts })
  if (failures < max) return max - failures
  const revoked = await revokeTokens(db, { userIds: [userId], domainId }, ctx.clock.now())
  await auditRevoked(db, ctx, revoked, by)
  await announceRevoked(db, ctx, revoked, by)
  notifyRevoked(db, ctx, revoked)
  return 0
}

const wrongPin = (triesLeft: number) => new ApiProblem('api.error.invalid.pin', 'pin: wrong.', { triesLeft })
