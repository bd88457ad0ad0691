import { isStrong } from '../../../contract/factor-descriptions.ts'
import { ActivateRequest, clockTolerance, devicePaths } from '../../../contract/device.ts'
import type { Claims, PushSubscription } from '../../../contract/device.ts'
import type { Activated } from '../../../contract/device-answers.ts'
import type { KeyType } from '../../../contract/pin.ts'
import { notifyRevoked } from '../../engine/waiting/notify.ts'
import { auditRevoked } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { enrollUser } from '../factors/enrollment.ts'
import type { DeviceRow } from '../factors/possessions.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { newSeed } from '../codes/totp.ts'
import { activateToken } from './activation-statements.ts'
import type { Activation } from './activation-statements.ts'
import { moveAway, useReplacement } from './replacement-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { noneRevoked } from '../../engine/base/revoked.ts'
import type { Revoked } from '../../engine/base/revoked.ts'
import { activatedView, bindDevice } from './bind-device.ts'
import { boundAccount, deviceOfCode, idOfDevice } from './bound-account.ts'
import { parseContent, peek, verify } from './signature.ts'
import { findActivation } from './preview.ts'
import type { FoundActivation } from './preview.ts'
import { newPin } from './pin.ts'
import { sealedPush } from './push.ts'
import { rememberCall } from './statements.ts'
import { tryCode } from './tries.ts'

/**
 * Binds a key pair to a token. This makes push possible and verifies no web session. A device that got no answer sends the same code
 * with the same key again, and gets the account that it has: otherwise nobody would have the only factor of a new user.
 */
export async function activate(
  ctx: ServiceContext,
  signedRequest: { jws: string; address: string | undefined },
): Promise<Activated> {
  const { key } = parseContent(ActivateRequest, peek(signedRequest.jws))
  const verified = verify(ctx, signedRequest.jws, key, { method: 'POST', path: devicePaths.activate })
  const request = parseContent(ActivateRequest, verified.payload)
  const push = acceptedPush(ctx, request) !== null
  const bound = (device: DeviceRow) => boundAccount(ctx, { ...verified, device }, { pin: request.pin, push })
  const found = await tryCode(
    ctx,
    signedRequest.address,
    async () => (await findActivation(ctx, ctx.store.db, request.code)) ?? (await deviceOfCode(ctx, request)),
  )
  if ('keyX' in found) return bound(found)
  const device = idOfDevice(request)
  const seed = newSeed(ctx.random)
  const unlocked = await unlockedBy(
    ctx,
    { id: device, userId: found.userId },
    { keyType: found.keyType, pin: request.pin },
  )
  try {
    const { claims } = verified
    const activation = await ctx.store.db
      .transaction()
      .execute((db) => bind(ctx, db, request, { device, seed, unlocked, claims, address: signedRequest.address }))
    return activatedView(ctx, activation, { id: device, seed, push })
  } catch (error) {
    // The call before may have been slow, and not lost.
    const other = error instanceof ApiProblem && (await deviceOfCode(ctx, request))
    if (!other) throw error
    return bound(other)
  }
}

type Request = ReturnType<typeof ActivateRequest.parse>

/** Subscriptions that the service does not push to are dropped: the user can still open the inbox. */
function acceptedPush({ pusher }: ServiceContext, { push }: Request): PushSubscription | null {
  return push && pusher?.accepts(push) ? push : null
}

/** The new device, as far as the service decides, and the address of the call. */
interface NewDevice {
  readonly device: string
  readonly seed: string
  readonly unlocked: Unlocked
  readonly claims: Claims
  readonly address: string | null | undefined
}

interface Unlocked {
  readonly keyType: KeyType
  /** Sealed; null if the domain asks for none. */
  readonly pin: string | null
}

/** Runs before the transaction, because hashing takes time. */
async function unlockedBy(
  ctx: ServiceContext,
  device: { readonly id: string; readonly userId: string },
  { keyType, pin }: { readonly keyType: KeyType; readonly pin: string | undefined },
): Promise<Unlocked> {
  return { keyType, pin: await newPin(ctx, device, { keyType, pin }) }
}

async function bind(
  ctx: ServiceContext,
  db: Queryable,
  request: Request,
  { device, seed, unlocked, claims, address = null }: NewDevice,
): Promise<Activation> {
  const activation = await findActivation(ctx, db, request.code)
  if (!activation) throw noCode()
  // The domain's key type changed a moment ago: on retry the device asks for the right kind.
  if (activation.keyType !== unlocked.keyType) throw new ApiProblem('api.error.conflict.state')
  const ended = await useCode({ ...ctx, address, actor: { kind: 'device', id: device } }, db, activation)
  const push = acceptedPush(ctx, request)
  const { name, key } = request
  const newDevice = { id: device, userId: activation.userId }
  await bindDevice(ctx, db, activation, {
    id: device,
    name,
    keyX: key.x,
    keyY: key.y,
    pin: unlocked.pin,
    push: push && sealedPush(ctx, newDevice, push),
    seed,
    replaces: ended.devices.length > 0,
    address,
  })
  // A copy of this very call gets nothing: only the key can repeat it.
  await rememberCall(db, { deviceId: device, jti: claims.jti, expiresAt: claims.iat + clockTolerance })
  notifyRevoked(db, ctx, ended)
  return activation
}

/**
 * The read found what the code is about. Conditional updates decide whether it can still be used. If it replaces a device,
 * that device is revoked here.
 */
async function useCode(ctx: ServiceContext, db: Queryable, activation: FoundActivation): Promise<Revoked> {
  const { userId, tokenId, organizationId, replaces, firstOnly, grantedFactor } = activation
  const now = ctx.clock.now()
  const first = !replaces && firstOnly === 1
  const firstStrong = grantedFactor !== null && !isStrong(grantedFactor)
  if (!(await enrollUser(db, ctx, { userId, tokenId, first, firstStrong }, { organizationId }))) throw noCode()
  const used = replaces ? await useReplacement(db, activation, now) : await activateToken(db, tokenId, now)
  if (!used) throw noCode()
  if (!replaces) return noneRevoked
  const ended = await moveAway(db, activation, now)
  await auditRevoked(db, ctx, ended, { organizationId })
  return ended
}

const noCode = () => new ApiProblem('api.error.notfound.activationcode')
