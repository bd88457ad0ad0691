import { createPrivateKey, sign } from 'node:crypto'

import type { OidcKeys } from '../service/oidc-state.ts'

/** How long the answer to Entra is valid, seconds: Entra gives up the sign-in after about ten minutes itself. */
export const entraLifetime = 600

/** The claims of an answer to Entra, besides its times. */
export interface EntraClaims {
  readonly iss: string
  readonly aud: string
  /** The subject of the hint. */
  readonly sub: string
  readonly nonce: string
  readonly acr: string
  /** Entra accepts exactly one value. */
  readonly amr: readonly [string]
}

/** @param now Unix time, seconds. */
export function signEntraToken({ jwks }: OidcKeys, claims: EntraClaims, now: number): string {
  const [key] = jwks.keys
  if (!key) throw new Error('there is no signing key')
  const { kid, alg } = key
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ alg, kid, typ: 'JWT' })}.${encode({ ...claims, iat: now, exp: now + entraLifetime })}`
  const privateKey = createPrivateKey({ key, format: 'jwk' })
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
}
