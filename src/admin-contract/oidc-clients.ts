import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { Id, Seconds } from '../contract/text.ts'
import {
  NewOidcClient,
  OidcClientAuthentication,
  OidcClientChanges,
  OidcClientKind,
  OidcPkce,
  OidcScope,
} from './oidc-client-settings.ts'
import { CibaSettings } from './oidc-ciba.ts'
import { EntraSettings } from './oidc-entra.ts'
import { PublicJwkSet } from './oidc-jwks.ts'

/** A client of the OpenID provider, without its secret. */
export const OidcClient = z.object({
  /** Its `client_id`. */
  id: Id,
  domain: Id,
  name: z.string(),
  kind: OidcClientKind,
  authentication: OidcClientAuthentication,
  native: z.boolean(),
  pkce: OidcPkce,
  redirectUris: z.array(z.string()),
  postLogoutRedirectUris: z.array(z.string()),
  jwks: PublicJwkSet.nullable(),
  jwksUri: z.string().nullable(),
  resources: z.array(z.string()),
  refreshTokens: z.boolean(),
  scopes: z.array(OidcScope),
  entra: EntraSettings.nullable(),
  ciba: CibaSettings.nullable(),
  /** Whether it has a secret. One that authenticates by a secret and has none cannot be used until it gets one. */
  secret: z.boolean(),
  /** The time until which the secret before is accepted, too; null if it is not. */
  formerSecretUntil: Seconds.nullable(),
  createdAt: Seconds,
  /** Changes name it in `If-Match`, in quotes. */
  version: z.int(),
})
export type OidcClient = z.infer<typeof OidcClient>

/** A client with its secret, which is shown once. */
export const OidcClientWithSecret = OidcClient.extend({
  /** Absent for a client that authenticates without one. */
  clientSecret: z.string().optional(),
})
export type OidcClientWithSecret = z.infer<typeof OidcClientWithSecret>

export const listOidcClients = endpoint({
  method: 'GET',
  path: '/admin/domains/:domainId/oidc-clients',
  summary: 'Lists the OpenID Connect clients of a domain, oldest first, without their secrets.',
  response: z.array(OidcClient),
  since: '1.4',
  admin: { role: 'admin', scope: 'domain' },
})

export const createOidcClient = endpoint({
  method: 'POST',
  path: '/admin/domains/:domainId/oidc-clients',
  summary: 'Registers an OpenID Connect client. Its secret is shown once.',
  body: NewOidcClient,
  response: OidcClientWithSecret,
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
  errors: ['api.error.conflict.state'],
})

export const changeOidcClient = endpoint({
  method: 'PUT',
  path: '/admin/domains/:domainId/oidc-clients/:oidcClientId',
  summary:
    'Changes the settings that the body names. Whatever the client has been issued ends, unless only its name changes. Needs `If-Match` with the version.',
  body: OidcClientChanges,
  response: OidcClient,
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
  errors: ['api.error.precondition', 'api.error.conflict.state'],
})

export const rotateOidcSecret = endpoint({
  method: 'POST',
  path: '/admin/domains/:domainId/oidc-clients/:oidcClientId/secret',
  summary:
    'Replaces the secret of a client. The new one is shown once. One that was replaced before, and is still accepted, ends. With `If-Match`, only if the version matches.',
  body: z.object({
    /** For how long the present secret is accepted as well, hours; 0 ends it at once. */
    overlap: z.int().min(0).max(168).default(0),
  }),
  response: OidcClientWithSecret,
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
  errors: ['api.error.precondition', 'api.error.conflict.state'],
})

export const removeOidcClient = endpoint({
  method: 'DELETE',
  path: '/admin/domains/:domainId/oidc-clients/:oidcClientId',
  summary: 'Removes a client, with all that it has been issued.',
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
})
