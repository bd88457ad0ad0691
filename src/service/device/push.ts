import { PushRequest } from '../../contract/device.ts'
import type { PushState, PushSubscription } from '../../contract/device.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { ApiProblem } from '../ground/problem.ts'
import { setPush } from '../store/pushes.ts'
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
