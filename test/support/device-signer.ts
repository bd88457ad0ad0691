import { randomBytes } from 'node:crypto'

import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import type { CryptoKey } from 'jose'

import { devicePaths } from '../../src/contract/device.ts'
import type { PublicKey } from '../../src/contract/device.ts'
import { quickFetch } from './quick-fetch.ts'
import type { Received } from './quick-fetch.ts'

/** A device as an attacker, or another implementation, could build it: it signs anything. */
export interface DeviceSigner {
  readonly publicKey: PublicKey
  readonly privateKey: CryptoKey
  /** Set after activation. */
  id: string | undefined
  /** The claims of an honest call, with overrides. */
  sign(claims: Claimed, key?: CryptoKey, header?: Record<string, unknown>): Promise<string>
}

export type Claimed = { htm: 'GET' | 'POST'; path: string } & Record<string, unknown>

export interface SignerOptions {
  /** The service's id. */
  readonly service: string
  readonly now: () => number
}

export async function createDeviceSigner({ service, now }: SignerOptions): Promise<DeviceSigner> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const { x = '', y = '' } = await exportJWK(publicKey)
  const signer: DeviceSigner = {
    publicKey: { kty: 'EC', crv: 'P-256', x, y },
    privateKey,
    id: undefined,
    sign(claims, key = privateKey, header = { alg: 'ES256', typ: 'device+jws' }) {
      const payload = { aud: service, sub: signer.id, iat: now(), jti: random128(), ...claims }
      return new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
        .setProtectedHeader(header as { alg: string })
        .sign(key)
    },
  }
  return signer
}

export const random128 = (): string => randomBytes(16).toString('base64url')

export const previewCode = (origin: string, code: string, headers: Record<string, string> = {}): Promise<Received> =>
  quickFetch(origin + devicePaths.preview, { method: 'POST', headers, body: JSON.stringify({ code }) })

/** The signed calls of the device protocol over HTTP. */
export function createDeviceCalls(origin: string, signer: DeviceSigner) {
  const post = (path: string, jws: string) =>
    quickFetch(origin + path, { method: 'POST', body: jws, headers: { 'content-type': 'application/jose' } })
  return {
    post,
    activate: async (code: string, different: object = {}) => {
      const path = devicePaths.activate
      const content = { code, name: 'Test', key: signer.publicKey }
      return post(path, await signer.sign({ htm: 'POST', path, ...content, ...different }))
    },
    inbox: async (headers: Record<string, string> = {}, different: object = {}) => {
      const path = devicePaths.requests
      const jws = await signer.sign({ htm: 'GET', path, ...different })
      return fetch(origin + path, { headers: { ...headers, authorization: `Device ${jws}` } })
    },
    answer: async (sessionId: string, answer: object, different: object = {}) => {
      const path = devicePaths.answer(sessionId)
      return post(path, await signer.sign({ htm: 'POST', path, ...answer, ...different }))
    },
    scan: async (sessionId: string, scan: object, different: object = {}) => {
      const path = devicePaths.scan(sessionId)
      return post(path, await signer.sign({ htm: 'POST', path, ...scan, ...different }))
    },
    push: async (push: object | null) => {
      const path = devicePaths.push
      return post(path, await signer.sign({ htm: 'POST', path, push }))
    },
    get: async (path: string, content: object = {}, different: object = {}) => {
      const jws = await signer.sign({ htm: 'GET', path, ...content, ...different })
      return fetch(origin + path, { headers: { authorization: `Device ${jws}` } })
    },
    acknowledge: async (noticeId: string, different: object = {}) => {
      const path = devicePaths.acknowledge(noticeId)
      return post(path, await signer.sign({ htm: 'POST', path, ...different }))
    },
    /** A POST without parameters in its path. */
    call: async (path: string, content: object = {}) =>
      post(path, await signer.sign({ htm: 'POST', path, ...content })),
    remove: async () => {
      const path = devicePaths.remove
      return post(path, await signer.sign({ htm: 'POST', path }))
    },
  }
}
