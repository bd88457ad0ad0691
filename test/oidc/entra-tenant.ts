import { constants, createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

import { entraClouds } from '../../src/admin-contract/oidc-entra.ts'

/** What a token names that Entra sends as a hint. */
export interface HintOptions {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  /** The tenant that signs, if it is another one. */
  readonly signedBy?: { key(): TenantKey }
  /** How it is signed, whatever the header says. */
  readonly algorithm?: keyof typeof algorithms
}

/** Ways of signing. HS256 uses the public key as a secret, which everybody knows. */
const algorithms = {
  RS256: (text: Buffer, { privateKey }: TenantKey) => sign('sha256', text, privateKey),
  PS256: (text: Buffer, { privateKey }: TenantKey) =>
    sign('sha256', text, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  HS256: (text: Buffer, { publicKey }: TenantKey) =>
    createHmac('sha256', publicKey.export({ format: 'pem', type: 'spki' }))
      .update(text)
      .digest(),
  none: () => Buffer.alloc(0),
}

interface TenantKey {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly jwk: { readonly kid: string }
}

export type EntraTenant = ReturnType<typeof createEntraTenant>

/** All the values that Entra asks for where a password was the first factor. */
export const usualClaims = {
  id_token: {
    acr: { essential: true, values: ['possessionorinherence'] },
    amr: {
      essential: true,
      values: ['face', 'fido', 'fpt', 'hwk', 'iris', 'otp', 'pop', 'retina', 'sc', 'sms', 'swk', 'tel', 'vbm'],
    },
  },
}

/**
 * A tenant of Microsoft Entra, as far as a provider of an external authentication method meets it: its metadata, its keys, and the forms
 * that it sends browsers with.
 *
 * @see Microsoft, "External authentication method provider reference"
 */
export function createEntraTenant({ tenant = randomUUID(), application = randomUUID(), modulusLength = 2048 } = {}) {
  const { host, redirectUri } = entraClouds.global
  const issuer = `https://${host}/${tenant}/v2.0`
  const metadata = `${issuer}/.well-known/openid-configuration`
  const keysAddress = `https://${host}/${tenant}/discovery/v2.0/keys`
  let keys = [makeKey(modulusLength)]
  const requests: string[] = []

  const documents = (): Record<string, unknown> => ({
    [metadata]: { issuer, jwks_uri: keysAddress },
    [keysAddress]: {
      keys: keys.map(({ jwk }) => ({ ...jwk, use: 'sig', issuer: 'https://' + host + '/{tenantid}/v2.0' })),
    },
  })

  const own = {
    tenant,
    application,
    issuer,
    /** The addresses that were read. */
    requests,
    /** Whether Microsoft can be reached. */
    online: true,
    /** What the metadata and the keys are replaced by, by address. */
    replaced: {} as Record<string, unknown>,
    metadata,
    keysAddress,
    settings: { tenant, application },
    /** Signs with a new key from now on. */
    rotate() {
      keys = [makeKey(modulusLength), ...keys]
    },
    /** Signs with a new key, and publishes no other. */
    withdraw() {
      keys = [makeKey(modulusLength)]
    },
    /** A token about a user, issued as expired. */
    hint({ claims, header, signedBy, algorithm = 'RS256' }: HintOptions = {}): string {
      const now = Math.floor(Date.now() / 1000)
      const key = signedBy ? signedBy.key() : own.key()
      const payload = {
        ver: '2.0',
        iss: issuer,
        aud: application,
        iat: now,
        nbf: now,
        exp: now - 1,
        sub: 'mBfcvuhSHkDWVgV72x2ruIYdSsPSvcj2R0qfc6mGEAA',
        oid: '951ddb04-b16d-45f3-bbf7-b0fa18fa7aee',
        tid: tenant,
        uti: randomUUID(),
        ...claims,
      }
      const parts = [{ typ: 'JWT', alg: algorithm, kid: key.jwk.kid, ...header }, payload]
      const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
      return `${signed}.${algorithms[algorithm](Buffer.from(signed), key).toString('base64url')}`
    },
    key: () => keys[0]!,
    /** The fields of the form that brings a person. */
    form: (clientId: string, hint: string, parameters: Readonly<Record<string, string | undefined>> = {}) => {
      const fields = {
        scope: 'openid',
        response_type: 'id_token',
        response_mode: 'form_post',
        client_id: clientId,
        redirect_uri: redirectUri,
        nonce: `nonce-${randomUUID()}`,
        state: 'rQQ4aAcD/state+of=Entra',
        id_token_hint: hint,
        claims: JSON.stringify(usualClaims),
        'client-request-id': randomUUID(),
        ...parameters,
      }
      return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Record<
        string,
        string
      >
    },
    /** Answers for Microsoft. */
    fetch: (address: string): Promise<Response> => {
      requests.push(address)
      if (!own.online) return Promise.reject(new TypeError('fetch failed'))
      const document = { ...documents(), ...own.replaced }[address]
      return Promise.resolve(document === undefined ? new Response('', { status: 404 }) : Response.json(document))
    },
  }
  return own
}

function makeKey(modulusLength: number): TenantKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength })
  return { publicKey, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid: randomUUID() } }
}
