import { describe, expect, it } from 'vitest'

import type { OidcClient } from '../../src/admin-contract/oidc-clients.ts'
import { changesOf, draftOfClient } from '../../src/console/screens/openid/draft.ts'

describe('the form of an OpenID client', () => {
  const client = {
    id: 'c'.repeat(40),
    domain: 'd'.repeat(40),
    name: 'Call center',
    kind: 'ciba',
    authentication: 'client_secret_basic',
    native: false,
    pkce: 'required',
    redirectUris: [],
    postLogoutRedirectUris: [],
    jwks: null,
    jwksUri: null,
    resources: [],
    refreshTokens: false,
    scopes: ['profile'],
    entra: null,
    // A newer service may have more settings than this console knows.
    ciba: { showsNumber: false, notificationEndpoint: null, language: 'de' },
    secret: true,
    formerSecretUntil: null,
    createdAt: 1,
    version: 1,
  } as OidcClient

  it('a form of a client that was not touched changes nothing', () => {
    expect(changesOf(client, draftOfClient(client))).toEqual({})
  })

  it('a change of how a client asks keeps what only a newer console knows', () => {
    expect(changesOf(client, { ...draftOfClient(client), showsNumber: true })).toEqual({
      ciba: { showsNumber: true, notificationEndpoint: null, language: 'de' },
    })
  })
})
