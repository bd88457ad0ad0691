import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'

import type { OidcState } from '../service/oidc-state.ts'
import { approvalType } from './ciba-request.ts'
import type { Packages } from './packages.ts'

/** How long an access token that a resource reads itself is valid, seconds: it cannot be revoked. */
const jwtLifetime = 300

/** Access tokens as JWT for the resources that a client is registered for (RFC 9068, RFC 8707). */
export function resourceServers(
  state: OidcState,
  { errors }: Packages['openid'],
): NonNullable<Configuration['features']>['resourceIndicators'] {
  return {
    enabled: true,
    useGrantedResource: () => true,
    defaultResource: ({ oidc }, _client, oneOf) => oneOf ?? (asksForApproval(oidc) ? approvalType : undefined),
    async getResourceServerInfo(_ctx, resource, { clientId }) {
      const client = await state.client(clientId)
      if (resource === approvalType && client?.kind === 'ciba') return approvals
      if (!client?.resources.includes(resource)) throw new errors.InvalidTarget()
      return { scope: 'openid', audience: resource, accessTokenTTL: jwtLifetime, accessTokenFormat: 'jwt' }
    },
  }
}

/** oidc-provider wants a resource for `authorization_details`. Nothing reads this access token: the client knows the approval by its id. */
const approvals = {
  scope: 'openid',
  audience: approvalType,
  accessTokenTTL: jwtLifetime,
  accessTokenFormat: 'opaque',
} as const

const asksForApproval = ({ route, params }: KoaContextWithOIDC['oidc']): boolean =>
  route === 'backchannel_authentication' && params?.['authorization_details'] !== undefined
