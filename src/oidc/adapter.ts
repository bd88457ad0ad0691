import { randomBytes } from 'node:crypto'

import type { Adapter, ClientMetadata, errors } from 'oidc-provider'

import type { OidcClient } from '../service/features/oidc/clients.ts'
import type { OidcAdapter, OidcState } from '../service/oidc-state.ts'
import { OidcStateError } from '../service/oidc-state.ts'

type Errors = typeof errors

/**
 * The storage of the provider in the store of the service. What the store refuses becomes an error of the protocol.
 *
 * @returns a function for the option `adapter` of oidc-provider.
 */
export function createAdapters(state: OidcState, protocolErrors: Errors): (model: string) => Adapter {
  return (model) => {
    const refuse = refusalOf(model, protocolErrors)
    const stored = translating(state.adapter(model), refuse)
    return (model === 'Client' ? { ...stored, find: findClient(state) } : stored) as unknown as Adapter
  }
}

function translating(adapter: OidcAdapter, refuse: (error: OidcStateError) => Error): OidcAdapter {
  const translate = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call
    } catch (error) {
      throw error instanceof OidcStateError ? refuse(error) : error
    }
  }
  return {
    upsert: (...args) => translate(adapter.upsert(...args)),
    find: (id) => translate(adapter.find(id)),
    findByUid: (uid) => translate(adapter.findByUid(uid)),
    findByUserCode: (code) => translate(adapter.findByUserCode(code)),
    consume: (id) => translate(adapter.consume(id)),
    destroy: (id) => translate(adapter.destroy(id)),
    revokeByGrantId: (grantId) => translate(adapter.revokeByGrantId(grantId)),
  }
}

/** Written while a person signs in; everything else of a person is written for a client that presents something. */
const duringSignIn = new Set(['Interaction', 'Session', 'Grant', 'AuthorizationCode'])

function refusalOf(model: string, { AccessDenied, InvalidClient, InvalidGrant, InvalidRequestUri, ...rest }: Errors) {
  const { TemporarilyUnavailable, InvalidRequest } = rest
  return ({ code, message }: OidcStateError): Error => {
    if (code === 'full') return new TemporarilyUnavailable(message)
    if (code === 'too_large') return new InvalidRequest(message)
    // Two requests have presented the same thing at the same moment, and this one came second.
    if (code === 'used' && model === 'ReplayDetection') return new InvalidClient(message)
    if (code === 'used' && model === 'PushedAuthorizationRequest') return new InvalidRequestUri(message)
    if (code === 'ended' && duringSignIn.has(model)) return new AccessDenied(message)
    return new InvalidGrant(message)
  }
}

/** Stands for the secret of each client in this process: `verifyClientSecret()` alone knows what they are. */
const placeholder = randomBytes(32).toString('base64url')

/** Reads a client each time, so that a change of it applies at once. oidc-provider keeps what it has made of the same text. */
const findClient = (state: OidcState) => async (id: string) => {
  const client = await state.client(id)
  return client && metadataOf(client)
}

/** @see OpenID Connect Dynamic Client Registration 1.0 section 2 */
function metadataOf(client: OidcClient): ClientMetadata {
  const { authentication, jwks, jwksUri } = client
  return {
    client_id: client.id,
    client_name: client.name,
    application_type: client.native ? 'native' : 'web',
    token_endpoint_auth_method: authentication,
    ...(authentication.startsWith('client_secret') && { client_secret: placeholder }),
    ...(jwks && { jwks: { keys: jwks.keys.map((key) => ({ ...key })) as never } }),
    ...(jwksUri !== null && { jwks_uri: jwksUri }),
    redirect_uris: [...client.redirectUris],
    post_logout_redirect_uris: [...client.postLogoutRedirectUris],
    response_types: ['code'],
    grant_types: ['authorization_code', ...(client.refreshTokens ? (['refresh_token'] as const) : [])],
    scope: ['openid', ...client.scopes].join(' '),
  }
}
