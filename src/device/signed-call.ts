import { base64url, CompactSign } from 'jose'

import type { Claims } from '../contract/device.ts'
import type { Account } from './account.ts'
import { DeviceError } from './device-error.ts'
import type { DeviceContext } from './options.ts'
import { send } from './send.ts'

/** The key that signs, and the service it signs for. The device id is unknown until activation. */
export type Signer = Pick<Account, 'serviceUrl' | 'service' | 'privateKey' | 'clockOffset'> & { readonly id?: string }

export interface SignedCall {
  readonly method: 'GET' | 'POST'
  /** Starts with `/device/`. It is signed like this, whatever prefix a proxy adds. */
  readonly path: string
  readonly content?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly held?: number
  readonly stream?: boolean
  readonly signal?: AbortSignal | undefined
}

/** Makes a signed call. If this device's clock is wrong, it learns the offset and retries once. */
export async function signedCall(context: DeviceContext, signer: Signer, call: SignedCall): Promise<Response> {
  try {
    return await signAndSend(context, signer, call)
  } catch (error) {
    if (!(error instanceof DeviceError) || error.code !== 'api.error.device.clock') throw error
    if (error.serviceTime === undefined) throw error
    signer.clockOffset = error.serviceTime - context.clock.now()
    return signAndSend(context, signer, call)
  }
}

async function signAndSend(context: DeviceContext, signer: Signer, call: SignedCall): Promise<Response> {
  const jws = await sign(signer, { ...call.content, ...claims(context, signer, call) })
  return send(context, {
    method: call.method,
    url: signer.serviceUrl + call.path,
    ...(call.method === 'POST' && { body: jws }),
    headers: {
      ...call.headers,
      ...(call.method === 'POST' ? { 'content-type': 'application/jose' } : { authorization: `Device ${jws}` }),
    },
    held: call.held ?? 0,
    stream: call.stream ?? false,
    signal: call.signal,
  })
}

function claims(context: DeviceContext, signer: Signer, call: SignedCall): Claims {
  return {
    aud: signer.service,
    ...(signer.id !== undefined && { sub: signer.id }),
    htm: call.method,
    path: call.path,
    iat: context.clock.now() + signer.clockOffset,
    jti: base64url.encode(context.random(16)),
  }
}

async function sign(signer: Signer, payload: Readonly<Record<string, unknown>>): Promise<string> {
  return new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'ES256', typ: 'device+jws', ...(signer.id !== undefined && { kid: signer.id }) })
    .sign(signer.privateKey)
}
