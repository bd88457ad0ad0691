import { z } from 'zod'

import { clockTolerance } from '../../../contract/device.ts'
import type { Claims } from '../../../contract/device.ts'
import { Id } from '../../../contract/text.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { deviceById, rememberCall } from './statements.ts'
import type { DeviceRow } from '../factors/possessions.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { importedKey } from './imported-keys.ts'
import { peek, verify } from './signature.ts'
import type { Purpose, Verified } from './signature.ts'

/** A call that a device has signed. */
export interface SignedCall extends Verified {
  readonly device: DeviceRow
}

const Subject = z.object({ sub: Id })

/**
 * Finds the device that a call names, and verifies the call with its key. Whether the device is still active is checked where
 * it matters, by `requireActive`.
 */
export async function verifyCall(ctx: ServiceContext, jws: string, purpose: Purpose): Promise<SignedCall> {
  const subject = Subject.safeParse(peek(jws))
  const device = subject.success ? await deviceById(ctx.store.db, subject.data.sub) : undefined
  if (!device) throw unknownDevice()
  const key = importedKey({ kty: 'EC', crv: 'P-256', x: device.keyX, y: device.keyY })
  const verified = verify(ctx, jws, key, purpose)
  return { ...verified, device }
}

/**
 * The first step of every transaction that a signed call causes: the call is used up together with the change or not at all,
 * and the device is still active at that moment.
 */
export async function consumeCall(
  db: Queryable,
  { device, claims }: { device: DeviceRow; claims: Claims },
): Promise<void> {
  // After that, its `iat` alone makes the call too old.
  const expiresAt = claims.iat + clockTolerance
  const [first, currentDevice] = await Promise.all([
    rememberCall(db, { deviceId: device.id, jti: claims.jti, expiresAt }),
    deviceById(db, device.id),
  ])
  if (!first)
    throw new ApiProblem('api.error.device.replayed', undefined, { headers: { 'WWW-Authenticate': 'Device' } })
  rejectRevoked(currentDevice)
}

export async function requireActive(db: Queryable, deviceId: string): Promise<void> {
  rejectRevoked(await deviceById(db, deviceId))
}

/** @throws {ApiProblem} unless the device is in use. */
export function rejectRevoked(device: Pick<DeviceRow, 'revokedAt' | 'moved'> | undefined): void {
  if (device?.revokedAt === null) return
  throw new ApiProblem(device?.moved === 1 ? 'api.error.device.moved' : 'api.error.device.revoked')
}

function unknownDevice(): ApiProblem {
  return new ApiProblem('api.error.device.unknown', undefined, { headers: { 'WWW-Authenticate': 'Device' } })
}
