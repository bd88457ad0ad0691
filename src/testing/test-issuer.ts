import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { exportJWK, generateKeyPair, SignJWT } from 'jose'

import type { Clock } from '../ground/clock.ts'
import { systemClock } from '../ground/clock.ts'

/** An authorization server for the tests of an API: it publishes its metadata and its keys, and signs access tokens without asking anybody. */
export interface TestIssuer {
  /** Write it as `bearer.issuer`. */
  readonly issuer: string
  /**
   * Signs an access token that is valid for five minutes (RFC 9068).
   * @param claims Are added to those that each token has, or replace them; `undefined` leaves one out.
   */
  token(claims: TokenClaims): Promise<string>
  close(): Promise<void>
}

/** Claims by their names in the token, such as `acr`, `auth_time`, `scope` and `sub`. */
export interface TokenClaims {
  /** The option `audience` of the API. */
  readonly aud: string
  readonly [name: string]: unknown
}

/**
 * Starts an issuer of access tokens on this machine.
 *
 * @param options `clock`: the same as for `bearer`, if that is not the machine's.
 *
 * @example
 * const issuer = await startTestIssuer()
 * app.use(requireMfa({ bearer: { issuer: issuer.issuer, audience: 'https://api.example' }, acr: ['phr'], maxAge: 300 }))
 * const token = await issuer.token({ aud: 'https://api.example', acr: 'phr' })
 */
export async function startTestIssuer({ clock = systemClock }: { readonly clock?: Clock } = {}): Promise<TestIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256', use: 'sig' }] }
  const answers: Record<string, unknown> = { '/keys': keys }
  const server = createServer((req, res) => {
    const answer = answers[req.url ?? '']
    res.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A test that forgets to close it still ends.
  server.unref()
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  answers['/.well-known/oauth-authorization-server'] = { issuer, jwks_uri: `${issuer}/keys` }

  return Object.freeze({
    issuer,
    token(claims: TokenClaims) {
      const now = clock.now()
      const usual = { iss: issuer, sub: 'alice', client_id: 'test', jti: crypto.randomUUID(), iat: now, auth_time: now }
      return new SignJWT({ ...usual, exp: now + 300, ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test' })
        .sign(privateKey)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
