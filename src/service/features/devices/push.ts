import { PushRequest } from '../../../contract/device.ts'
import type { PushSubscription } from '../../../contract/device.ts'
import type { PushState, PushTest } from '../../../contract/device-answers.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem, tooManyRequests } from '../../engine/base/problem.ts'
import { newId } from '../../engine/base/random.ts'
import { takeAttempt } from '../../engine/limits/attempts.ts'
import { setPush } from '../../engine/push/statements.ts'
import { parseContent } from './signature.ts'
import { requireActive, consumeCall } from './signed-call.ts'
import type { SignedCall } from './signed-call.ts'

/** Changes where messages for the device are sent. */
export async function changePush(ctx: ServiceContext, call: SignedCall): Promise<PushState> {
  const { push } = parseContent(PushRequest, call.payload)
  if (push && !ctx.pusher?.accepts(push)) {
    throw new ApiProblem('api.error.invalid.push', 'push: not a push service in the option push.hosts.')
  }
  await ctx.store.db.transaction().execute(async (db) => {
    await consumeCall(db, call)
    await setPush(db, call.device.id, push && sealedPush(ctx, call.device, push))
  })
  return stateOf(ctx, push?.endpoint)
}

/** How many tests a device can ask for, and how long a push service keeps one, seconds. */
const testLimit = { limit: 5, window: 60 * 60 }
const testLifetime = 60

/** Sends one message to the device that asks, so that its owner sees whether messages arrive. It creates no session. */
export async function testPush(ctx: ServiceContext, call: SignedCall): Promise<PushTest> {
  const id = newId(ctx.random)
  const { id: deviceId, push } = call.device
  const now = ctx.clock.now()
  await ctx.store.db.transaction().execute(async (db) => {
    await consumeCall(db, call)
    const wait = await takeAttempt(db, [{ scope: `push test ${deviceId}`, ...testLimit }], now)
    if (wait > 0) throw tooManyRequests({ limit: `at most ${testLimit.limit} tests in an hour`, wait, now })
  })
  const sent = push !== null && ctx.pusher !== undefined
  if (sent) ctx.pusher.tell({ kind: 'test', id, deviceId, expiresAt: now + testLifetime })
  return { id, sent }
}

export async function readPush(ctx: ServiceContext, { device }: SignedCall): Promise<PushState> {
  await requireActive(ctx.store.db, device.id)
  if (device.push === null) return stateOf(ctx, undefined)
  const text = ctx.secrets.open(device.push, { kind: 'push subscription', id: device.id, userId: device.userId })
  return stateOf(ctx, (JSON.parse(text) as PushSubscription).endpoint)
}

export function sealedPush(
  { secrets }: Pick<ServiceContext, 'secrets'>,
  { id, userId }: { readonly id: string; readonly userId: string },
  push: PushSubscription,
): string {
  return secrets.seal(JSON.stringify(push), { kind: 'push subscription', id, userId })
}

function stateOf({ pusher }: ServiceContext, endpoint: string | undefined): PushState {
  return { ...(pusher && { pushKey: pusher.publicKey }), ...(endpoint !== undefined && { endpoint }) }
}
