import { serviceUrl } from '../contract/activation-link.ts'
import {
  type ActivateRequest,
  devicePaths,
  MoveCode,
  type PushSubscription as Subscription,
} from '../contract/device.ts'
import { Activated, Preview } from '../contract/device-answers.ts'
import type { Account } from './account.ts'
import { DeviceError } from './device-error.ts'
import { createKeyPair, exportPublicKey } from './keys.ts'
import { lockSecret } from './locked-secret.ts'
import { importCodeSecret } from './offline-code.ts'
import type { DeviceContext } from './options.ts'
import { persistently } from './requests.ts'
import { parseContent, send } from './send.ts'
import { parseActivationCode } from './service-url.ts'
import { type Signer, signedCall } from './signed-call.ts'

export interface ActivateOptions {
  /** The owner's name for the device, such as "Firefox on Android". */
  readonly name: string
  /** The result of `preview` for the same code; requested if it is absent. */
  readonly preview?: Preview
  /** The PIN or passcode that the domain requires; `pinProblem` of the contract checks it beforehand. */
  readonly pin?: string | undefined
  /** Made with the `pushKey` of the preview. */
  readonly push?: Subscription | undefined
}

/** Reads which account a code would add, to show it before it is added. */
export async function preview(context: DeviceContext, address: string | URL, code: string): Promise<Preview> {
  const response = await send(context, {
    method: 'POST',
    url: serviceUrl(address) + devicePaths.preview,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: MoveCode.safeParse(code).data ?? requireCode(code) }),
  })
  return parseContent(response, Preview)
}

/** The keys of activations that got no answer: the service gives the account only to the key that it has bound. */
const keyPairs = new WeakMap<Preview, CryptoKeyPair>()

/**
 * Uses a code: creates a key pair for this token alone, and binds it to the device. Retries a lost answer, also when it is called again
 * with the same preview.
 * @returns the account, to be stored.
 */
export async function activate(
  context: DeviceContext,
  address: string | URL,
  code: string,
  options: ActivateOptions,
): Promise<Account> {
  const previewed = options.preview ?? (await preview(context, address, code))
  const keys = keyPairs.get(previewed) ?? (await createKeyPair(context.extractableKeys))
  keyPairs.set(previewed, keys)
  const { privateKey, publicKey } = keys
  const signer = { serviceUrl: serviceUrl(address), service: previewed.service, privateKey, clockOffset: 0 }
  const { name, pin, push } = options
  const request: ActivateRequest = {
    code: requireCode(code),
    name,
    key: await exportPublicKey(publicKey),
    ...(pin !== undefined && { pin }),
    ...(push && { push }),
  }

  const call = { method: 'POST', path: devicePaths.activate, content: request } as const
  const activated = await persistently(context, async () =>
    parseContent(await signedCall(context, signer, call), Activated),
  )
  keyPairs.delete(previewed)
  return accountOf(context, signer, activated, pin)
}

/** The account that the service has bound to the key of a signer. @param pin Locks the secret of the offline codes. */
export async function accountOf(
  context: DeviceContext,
  { serviceUrl: address, service, privateKey, clockOffset }: Signer,
  { device, organization, domain, user, codes, pushKey }: Activated,
  pin: string | undefined,
): Promise<Account> {
  const secrets =
    domain.keyType === 'NONE'
      ? { codeSecret: await importCodeSecret(codes, context.extractableKeys) }
      : { lockedSecret: await lockSecret(context.random, codes, pin ?? '') }
  const signer = { serviceUrl: address, service, privateKey, clockOffset }
  return { id: device, ...signer, organization, domain, user, ...secrets, ...(pushKey !== undefined && { pushKey }) }
}

/** Rejects a mistyped code here, so that it does not cost one of the few attempts. */
function requireCode(text: string): string {
  const code = parseActivationCode(text)
  if (code === undefined)
    throw new DeviceError('api.error.invalid.code', 'An activation code has 10 letters and digits.')
  return code
}
