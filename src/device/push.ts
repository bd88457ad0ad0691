import { devicePaths, type PushRequest, PushState, type PushSubscription as Subscription } from '../contract/device.ts'
import type { Account } from './account.ts'
import type { DeviceContext } from './options.ts'
import { content } from './send.ts'
import { signedCall } from './signed-call.ts'

/** Sets or renews where requests are pushed to. @throws {DeviceError} `api.error.invalid.push` for a push service that is not known. */
export async function push(
  context: DeviceContext,
  account: Account,
  subscription: Subscription | null,
): Promise<PushState> {
  const request: PushRequest = { push: subscription }
  const response = await signedCall(context, account, { method: 'POST', path: devicePaths.push, content: request })
  return content(response, PushState)
}

export async function pushState(context: DeviceContext, account: Account): Promise<PushState> {
  return content(await signedCall(context, account, { method: 'GET', path: devicePaths.push }), PushState)
}
