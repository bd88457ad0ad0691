import type { AccessToken, ClientCredentials, KoaContextWithOIDC, RefreshToken } from 'oidc-provider'

import type { Packages } from './packages.ts'

/**
 * Lets a client revoke its own tokens, and refuses those of other clients (RFC 7009 section 2.1).
 *
 * All that was issued with the same grant ends first, and the kind of the token itself last. oidc-provider ends the token first: if the
 * database failed after that, a client that repeats its call would be told that everything has ended, and the other tokens would live on.
 */
export function revocationPolicy({ errors }: Packages['openid']) {
  return async (
    { oidc }: KoaContextWithOIDC,
    client: { readonly clientId: string },
    token: AccessToken | ClientCredentials | RefreshToken,
  ): Promise<true> => {
    if (token.clientId !== client.clientId) throw new errors.InvalidRequest('the token belongs to another client')
    if (!('grantId' in token) || token.grantId === undefined) return true
    const { AccessToken, AuthorizationCode, RefreshToken } = oidc.provider
    const models = [AuthorizationCode, AccessToken, RefreshToken]
    const isOwn = (model: (typeof models)[number]) => model.name === token.kind
    for (const model of models.toSorted((first, second) => Number(isOwn(first)) - Number(isOwn(second)))) {
      await model.revokeByGrantId(token.grantId)
    }
    return true
  }
}
