import type { Configuration } from 'oidc-provider'

import type { Packages } from './packages.ts'

/** The member of a client's metadata that says whether it has to use PKCE. */
export const pkceMember = 'pkce'

/**
 * Every code is bound to the sign-in that it was made for: by PKCE, or for a client that is registered for it by the `nonce` of the ID
 * token, which that client verifies (RFC 9700 section 2.1.1). A request with neither is refused.
 */
export function pkceRule({ errors }: Packages['openid']): NonNullable<Configuration['pkce']> {
  return {
    required({ oidc }, client) {
      if (client[pkceMember] !== 'nonce') return true
      const { nonce } = oidc.params ?? {}
      if (typeof nonce === 'string' && nonce !== '') return false
      throw new errors.InvalidRequest('nonce is missing: this client has to send a nonce, or to use PKCE')
    },
  }
}
