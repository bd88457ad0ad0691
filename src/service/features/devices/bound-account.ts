import { createHash } from 'node:crypto'

import { moveLifetimes } from '../../../contract/device.ts'
import type { PublicKey } from '../../../contract/device.ts'
import type { Activated } from '../../../contract/device-answers.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { generatorOfDevice } from '../factors/possessions.ts'
import type { DeviceRow } from '../factors/possessions.ts'
import { activationOfToken } from './activation-statements.ts'
import { activatedView } from './bind-device.ts'
import { checkPin, reserveRequiredPin } from './check-pin.ts'
import { consumeCall } from './signed-call.ts'
import type { SignedCall } from './signed-call.ts'
import { deviceById } from './statements.ts'

/**
 * The account of a device that is bound already, and has asked for it with its key. Asks for the PIN, with which the device encrypts
 * the secret of its codes.
 */
export async function boundAccount(
  ctx: ServiceContext,
  call: SignedCall,
  { pin, push }: { readonly pin: string | undefined; readonly push: boolean },
): Promise<Activated> {
  const { id, tokenId, domainId, userId } = call.device
  const reserved = await ctx.store.db.transaction().execute(async (db) => {
    await consumeCall(db, call)
    return reserveRequiredPin(ctx, db, { device: call.device, pin, attempt: call.claims.jti })
  })
  if (reserved) await checkPin(ctx, reserved, pin ?? '')
  const activation = await activationOfToken(ctx.store.db, tokenId)
  const generator = await generatorOfDevice(ctx.store.db, domainId, userId)
  if (!activation || !generator) throw new ApiProblem('api.error.notfound.activationcode')
  const seed = ctx.secrets.open(generator.seed, { kind: 'seed', id, userId })
  return activatedView(ctx, activation, { id, seed, push })
}

/** A code, and the key that uses it. */
interface Activating {
  readonly code: string
  readonly key: PublicKey
}

/** The id of the device that a key activates with a code. A repeated call names the same device, and another key another one. */
export function idOfDevice({ code, key: { x, y } }: Activating): string {
  return createHash('sha256').update(`${code} ${x} ${y}`).digest('hex').slice(0, 40)
}

/** The device that the same key has activated with the same code a moment ago: the answer to that call was lost. */
export async function deviceOfCode(ctx: ServiceContext, activating: Activating): Promise<DeviceRow | undefined> {
  const device = await deviceById(ctx.store.db, idOfDevice(activating))
  // Later, the key alone must not get the secret of the codes.
  return device && device.createdAt > ctx.clock.now() - moveLifetimes.account ? device : undefined
}
