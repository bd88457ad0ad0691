import { devicePaths, type PushRequest, type PushSubscription as Subscription } from '../contract/device.ts'
import { PushState, PushTest } from '../contract/device-answers.ts'
import type { Account } from './account.ts'
import type { DeviceContext } from './options.ts'
import { parseContent } from './send.ts'
import { signedCall } from './signed-call.ts'

/** Sets or renews the push subscription. @throws {DeviceError} `api.error.invalid.push` for an unknown push service. */
export async function push(
  context: DeviceContext,
  account: Account,
  subscription: Subscription | null,
): Promise<PushState> {
  const request: PushRequest = { push: subscription }
  const response = await signedCall(context, account, { method: 'POST', path: devicePaths.push, content: request })
  return parseContent(response, PushState)
}

/** Asks for one push message to this device. */
export async function testPush(context: DeviceContext, account: Account): Promise<PushTest> {
  return parseContent(await signedCall(context, account, { method: 'POST', path: devicePaths.testPush }), PushTest)
}

export async function pushState(context: DeviceContext, account: Account): Promise<PushState> {
  return parseContent(await signedCall(context, account, { method: 'GET', path: devicePaths.push }), PushState)
}
