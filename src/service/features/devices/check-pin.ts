import { notifyRevoked } from '../../engine/waiting/notify.ts'
import { audit, auditRevoked } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { announceRevoked } from '../factors/announcements.ts'
import { ApiProblem, tooManyRequests } from '../../engine/base/problem.ts'
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
}

/** Takes an attempt if the domain requires a PIN, in the transaction that uses the call up. */
export async function reserveRequiredPin(
  { clock }: Pick<ServiceContext, 'clock'>,
  db: Queryable,
  attempt: { readonly device: DeviceRow; readonly attempt: string; readonly pin: string | undefined },
): Promise<ReservedAttempt | undefined> {
  const rule = await pinRule(db, attempt.device.domainId)
  if (!rule || rule.keyType === 'NONE') return undefined
  if (attempt.pin === undefined) throw new ApiProblem('api.error.invalid.pin', 'pin: required.')
  return reserveAttempt(
    db,
    { device: attempt.device, attempt: attempt.attempt, max: rule.maxAllowedRetries },
    clock.now(),
  )
}

/**
 * Takes an attempt, in a transaction, before the PIN is checked.
 * @throws {ApiProblem} if this attempt was already taken: the same error if it was wrong, or "try again" while it is checked.
 */
export async function reserveAttempt(
  db: Queryable,
  reservation: { readonly device: DeviceRow; readonly attempt: string; readonly max: number },
  now: number,
): Promise<ReservedAttempt> {
  const { device, attempt, max } = reservation
  const reserved = await takePinTry(db, { deviceId: device.id, attempt, max })
  if (reserved?.pin) return { ...reservation, hash: reserved.pin }
  const currentDevice = await deviceById(db, device.id)
  if (currentDevice?.pinWrong === attempt) throw wrongPin(max - currentDevice.pinTries)
  if (currentDevice?.pinAttempt === attempt) throw tooManyRequests({ limit: 'this PIN is being checked', wait: 1, now })
  return { ...reservation, hash: undefined }
}

/**
 * Checks a PIN after its attempt was taken. Hashing takes time, so do not wait for it in a transaction.
 * @throws {ApiProblem} if the PIN is wrong; the last attempt revokes the token.
 */
export async function checkPin(ctx: ServiceContext, reserved: ReservedAttempt, pin: string): Promise<void> {
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
