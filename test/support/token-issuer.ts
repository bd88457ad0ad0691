import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { JWTHeaderParameters } from 'jose'
import { onTestFinished } from 'vitest'

import type { Clock } from '../../src/ground/clock.ts'

/** What an issuer answers at one path; `'hang'` never answers. */
export type IssuerAnswer = { readonly status?: number; readonly body: unknown } | 'hang'

export type TokenIssuer = Awaited<ReturnType<typeof startTokenIssuer>>

/** An authorization server that a test can break: its answers, its keys, and what it signs. @param path Of its issuer identifier. */
export async function startTokenIssuer(clock: Clock, path = '') {
  const answers = new Map<string, IssuerAnswer>()
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(req.url ?? '')
    const answer = answers.get(req.url ?? '') ?? { status: 404, body: {} }
    if (answer === 'hang') return
    const { status = 200, body } = answer
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    res.writeHead(status, { 'Content-Type': 'application/json', Location: '/moved' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  const origin = `http://127.0.0.1:${port}`
  const issuer = origin + path
  const keys = new Map<string, Awaited<ReturnType<typeof newKey>>>()
  const publish = () =>
    answers.set('/keys', { body: { keys: [...keys].map(([kid, { jwk }]) => ({ ...jwk, kid, use: 'sig' })) } })

  async function addKey(kid: string, alg = 'ES256') {
    keys.set(kid, await newKey(alg))
    publish()
  }
  function removeKey(kid: string) {
    keys.delete(kid)
    publish()
  }
  await addKey('first')
  answers.set(`/.well-known/oauth-authorization-server${path}`, { body: { issuer, jwks_uri: `${origin}/keys` } })

  /** A token as this issuer signs it. `undefined` leaves a claim or a header out. */
  async function token(
    claims: object = {},
    header: { readonly [K in keyof JWTHeaderParameters]?: JWTHeaderParameters[K] | undefined } = {},
  ) {
    const { kid = 'first', alg = 'ES256' } = header
    const signer = keys.get(kid)?.privateKey ?? keys.get('first')!.privateKey
    return new SignJWT({ ...usualClaims(issuer, clock.now()), ...claims })
      .setProtectedHeader({ alg, typ: 'at+jwt', kid, ...header } as JWTHeaderParameters)
      .sign(signer)
  }
  return { issuer, port, answers, asked, keys, addKey, removeKey, publish, token, close }
}

export const audience = 'https://api.example'

/** RFC 9068 section 2.2. @param now Unix time, seconds. */
export const usualClaims = (iss: string, now: number) => ({
  iss,
  aud: audience,
  sub: 'alice',
  client_id: 'spa',
  jti: 'token-1',
  iat: now,
  exp: now + 300,
  auth_time: now - 10,
  acr: 'phr',
  scope: 'read write',
})

async function newKey(alg: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), alg } }
}

/** A token put together by hand, with any signature. */
export function handMade(header: object, claims: object, signature = ''): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part(header)}.${part(claims)}.${signature}`
}
