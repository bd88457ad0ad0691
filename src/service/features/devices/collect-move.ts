import { z } from 'zod'

import { CollectMoveRequest, devicePaths } from '../../../contract/device.ts'
import type { Activated } from '../../../contract/device-answers.ts'
import { Id } from '../../../contract/text.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { DeviceRow } from '../factors/possessions.ts'
import { boundAccount } from './bound-account.ts'
import { deviceById } from './statements.ts'
import { cancelMove, claimById, requestMove } from './move-statements.ts'
import type { ClaimRow } from './move-statements.ts'
import { parseContent, peek, verify } from './signature.ts'

const Subject = z.object({ sub: Id })

/**
 * The new device asks for the account that it has claimed, with its own key: nothing until the old device has confirmed.
 * The PIN is checked only afterwards, so that a claim alone does not allow guessing it.
 */
export async function collectMove(ctx: ServiceContext, jws: string): Promise<{ account?: Activated }> {
  const { db } = ctx.store
  const subject = Subject.safeParse(peek(jws))
  const claim = subject.success ? await claimById(db, subject.data.sub, ctx.clock.now()) : undefined
  if (!claim) throw noClaim()
  const key = { kty: 'EC', crv: 'P-256', x: claim.claimKeyX, y: claim.claimKeyY } as const
  const verified = verify(ctx, jws, key, { method: 'POST', path: devicePaths.collectMove })
  const request = parseContent(CollectMoveRequest, verified.payload)
  const device = request.cancel ? await cancelUnlessMoved(ctx, claim) : await waitFor(db, claim)
  if (!device) return {}
  return { account: await boundAccount(ctx, { ...verified, device }, { pin: request.pin, push: false }) }
}

async function waitFor(db: Queryable, claim: ClaimRow): Promise<DeviceRow | undefined> {
  const device = await movedDevice(db, claim)
  if (!device && claim.requested === 0) await requestMove(db, claim.claimId)
  return device
}

/** In one transaction: canceled after the old device has confirmed, the account would be on no device. */
function cancelUnlessMoved({ store, clock }: ServiceContext, { claimId }: ClaimRow): Promise<DeviceRow | undefined> {
  return store.db.transaction().execute(async (db) => {
    // The old device may have begun another move.
    const claim = await claimById(db, claimId, clock.now())
    if (!claim) throw noClaim()
    const device = await movedDevice(db, claim)
    if (!device) await cancelMove(db, claim.deviceId)
    return device
  })
}

/** The new device, once the old one has confirmed. The old one is read first: it ends when the new one begins. */
async function movedDevice(db: Queryable, { deviceId, claimId }: ClaimRow): Promise<DeviceRow | undefined> {
  const old = await deviceById(db, deviceId)
  const device = await deviceById(db, claimId)
  if (!device && old?.revokedAt !== null) throw noClaim()
  return device
}

/** The same for claims that were canceled or have expired. */
const noClaim = () => new ApiProblem('api.error.notfound.activationcode')
