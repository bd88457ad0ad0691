import { isStrong } from '../../../contract/factor-descriptions.ts'
import { ActivateRequest, devicePaths } from '../../../contract/device.ts'
import type { PushSubscription } from '../../../contract/device.ts'
import type { Activated } from '../../../contract/device-answers.ts'
import type { KeyType } from '../../../contract/pin.ts'
import { notifyRevoked } from '../../engine/waiting/notify.ts'
import { auditRevoked } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { enrollUser } from '../factors/enrollment.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { newId } from '../../engine/base/random.ts'
import { newSeed } from '../codes/totp.ts'
import { activateToken } from './activation-statements.ts'
import type { Activation } from './activation-statements.ts'
import { moveAway, useReplacement } from './replacement-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { noneRevoked } from '../../engine/base/revoked.ts'
import type { Revoked } from '../../engine/base/revoked.ts'
import { activatedView, bindDevice } from './bind-device.ts'
import { parseContent, peek, verify } from './signature.ts'
import { findActivation } from './preview.ts'
import type { FoundActivation } from './preview.ts'
import { newPin } from './pin.ts'
import { sealedPush } from './push.ts'
import { tryCode } from './tries.ts'

/** Binds a key pair to a token. This makes push possible and verifies no web session. */
export async function activate(
  ctx: ServiceContext,
  signedRequest: { jws: string; address: string | undefined },
): Promise<Activated> {
  const { key } = parseContent(ActivateRequest, peek(signedRequest.jws))
  const { payload } = verify(ctx, signedRequest.jws, key, { method: 'POST', path: devicePaths.activate })
  const request = parseContent(ActivateRequest, payload)
  const foundActivation = await tryCode(ctx, signedRequest.address, () =>
    findActivation(ctx, ctx.store.db, request.code),
  )
  const device = newId(ctx.random)
  const seed = newSeed(ctx.random)
  const unlocked = await unlockedBy(
    ctx,
    { id: device, userId: foundActivation.userId },
    { keyType: foundActivation.keyType, pin: request.pin },
  )
  const activation = await ctx.store.db
    .transaction()
    .execute((db) => bind(ctx, db, request, { device, seed, unlocked, address: signedRequest.address }))
  return activatedView(ctx, activation, { id: device, seed, push: acceptedPush(ctx, request) !== null })
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
  { device, seed, unlocked, address = null }: NewDevice,
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
