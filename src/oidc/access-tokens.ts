import type { Configuration } from 'oidc-provider'

import type { OidcState } from '../service/oidc-state.ts'
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
    async getResourceServerInfo(_ctx, resource, { clientId }) {
      const client = await state.client(clientId)
      if (!client?.resources.includes(resource)) throw new errors.InvalidTarget()
      return { scope: 'openid', audience: resource, accessTokenTTL: jwtLifetime, accessTokenFormat: 'jwt' }
    },
  }
}
