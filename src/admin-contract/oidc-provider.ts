import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { Id, Seconds } from '../contract/text.ts'
import { OidcClient } from './oidc-clients.ts'

/** A key that signs ID tokens, without its private half. */
export const OidcSigningKey = z.object({
  /** The thumbprint of the public key (RFC 7638). */
  id: z.string(),
  /** `next`: published, and does not sign yet. `retired`: published, and does not sign any more. */
  state: z.enum(['next', 'signing', 'retired']),
  createdAt: Seconds,
  signsFrom: Seconds,
  /** The time at which it is not published any more; null as long as no other key takes over. */
  publishedUntil: Seconds.nullable(),
})
export type OidcSigningKey = z.infer<typeof OidcSigningKey>

/** The service as an OpenID provider. */
export const OidcProvider = z.object({
  /** The issuer as clients know it; null if this process of the service is no provider. */
  issuer: z.string().nullable(),
  /** The one that signs first. */
  keys: z.array(OidcSigningKey),
  /** Whether the caller may change the keys. With several organizations only the command line may, because all of them use the keys. */
  changesKeys: z.boolean(),
})
export type OidcProvider = z.infer<typeof OidcProvider>

export const getOidcProvider = endpoint({
  method: 'GET',
  path: '/admin/oidc-provider',
  summary: 'Reads the issuer of the OpenID provider, and its signing keys.',
  response: OidcProvider,
  since: '1.4',
  admin: { role: 'admin', scope: 'organization' },
})

export const listEveryOidcClient = endpoint({
  method: 'GET',
  path: '/admin/oidc-clients',
  summary:
    'Lists the OpenID Connect clients of one domain, or of all that the administrator can see, by the name of the domain.',
  query: z.object({ domain: Id.optional() }),
  response: z.array(OidcClient),
  since: '1.4',
  admin: { role: 'admin', scope: 'organization' },
  errors: ['api.error.notfound.domain'],
})

export const rotateOidcKeys = endpoint({
  method: 'POST',
  path: '/admin/oidc-provider/keys',
  summary: 'Publishes the next signing key, which signs in two days. Does nothing while one is published already.',
  response: OidcProvider,
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', whole: true, fresh: true },
  errors: ['api.error.conflict.state'],
})

export const replaceOidcKeys = endpoint({
  method: 'POST',
  path: '/admin/oidc-provider/keys/replace',
  summary:
    'Signs with a new key at once, and ends all others: for keys that somebody else may know. Clients reject ID tokens until they read the keys again.',
  response: OidcProvider,
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', whole: true, fresh: true },
  errors: ['api.error.conflict.state'],
})
