import {
  Activated,
  type ActivateRequest,
  devicePaths,
  Preview,
  type PushSubscription as Subscription,
} from '../contract/device.ts'
import type { Account } from './account.ts'
import { DeviceError } from './device-error.ts'
import { createKeyPair, exportPublicKey } from './keys.ts'
import { lockSecret } from './locked-secret.ts'
import { importCodeSecret } from './offline-code.ts'
import type { DeviceContext } from './options.ts'
import { content, send } from './send.ts'
import { parseActivationCode, serviceUrl } from './service-url.ts'
import { signedCall } from './signed-call.ts'

export interface ActivateOptions {
  /** What its owner calls the device, such as "Firefox on Android". */
  readonly name: string
  /** What `preview` answered for the same code; asked for otherwise. */
  readonly preview?: Preview
  /** What the domain's key type asks for; `pinProblem` of the contract says beforehand whether it will do. */
  readonly pin?: string | undefined
  /** Made with the `pushKey` of the preview. */
  readonly push?: Subscription | undefined
}

/** What a code would join, to be shown before joining. */
export async function preview(context: DeviceContext, address: string | URL, code: string): Promise<Preview> {
  const response = await send(context, {
    method: 'POST',
    url: serviceUrl(address) + devicePaths.preview,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: readCode(code) }),
  })
  return content(response, Preview)
}

/** Uses a code up: makes a key pair for this token alone, and binds it. @returns the account, to be kept. */
export async function activate(
  context: DeviceContext,
  address: string | URL,
  code: string,
  options: ActivateOptions,
): Promise<Account> {
  const { service } = options.preview ?? (await preview(context, address, code))
  const { privateKey, publicKey } = await createKeyPair(context.extractableKeys)
  const signer = { serviceUrl: serviceUrl(address), service, privateKey, clockOffset: 0 }
  const { name, pin, push } = options
  const request: ActivateRequest = {
    code: readCode(code),
    name,
    key: await exportPublicKey(publicKey),
    ...(pin !== undefined && { pin }),
    ...(push && { push }),
  }

  const response = await signedCall(context, signer, { method: 'POST', path: devicePaths.activate, content: request })
  const { device, organization, domain, user, codes, pushKey } = await content(response, Activated)
  const kept =
    domain.keyType === 'NONE'
      ? { codeSecret: await importCodeSecret(codes, context.extractableKeys) }
      : { lockedSecret: await lockSecret(context.random, codes, pin ?? '') }
  return { id: device, ...signer, organization, domain, user, ...kept, ...(pushKey !== undefined && { pushKey }) }
}

/** A code with a slip in it needs no call, and costs none of the few tries. */
function readCode(text: string): string {
  const code = parseActivationCode(text)
  if (code === undefined) throw new DeviceError('api.error.invalid.code', 'an activation code has 10 characters')
  return code
}
