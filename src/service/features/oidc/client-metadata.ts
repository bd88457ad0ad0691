import type { OidcClientKind } from '../../../admin-contract/oidc-client-settings.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { oidcClientById } from './client-statements.ts'
import type { OidcClientRow } from './client-statements.ts'
import { settingsOf } from './client-view.ts'
import type { OidcClientSettings } from './client-view.ts'
import type { OidcPayload } from './artifact-facts.ts'

/**
 * The metadata of a client as oidc-provider reads it (RFC 7591 section 2).
 *
 * @returns undefined if there is no such client. Microsoft Entra is none of its clients: see `src/oidc/entra-routes.ts`.
 */
export async function clientMetadata(
  { store }: Pick<ServiceContext, 'store'>,
  id: string,
): Promise<OidcPayload | undefined> {
  const row = await oidcClientById(store.db, id)
  return row && row.kind !== 'entra' ? metadataOf(row) : undefined
}

function metadataOf(row: OidcClientRow): OidcPayload {
  const settings = settingsOf(row)
  const { authentication, native, redirectUris, postLogoutRedirectUris, jwks, jwksUri, scopes, name, pkce } = settings
  return {
    client_id: row.id,
    client_name: name,
    // The library wants a secret. This is none: see `verifyClientSecret`.
    ...(row.secretHash !== null && { client_secret: `sha256:${row.secretHash}` }),
    token_endpoint_auth_method: authentication,
    application_type: native ? 'native' : 'web',
    redirect_uris: redirectUris,
    post_logout_redirect_uris: postLogoutRedirectUris,
    ...flowsOf(row.kind, settings),
    scope: ['openid', ...scopes].join(' '),
    id_token_signed_response_alg: 'RS256',
    ...(jwks && { jwks }),
    ...(jwksUri !== null && { jwks_uri: jwksUri }),
    domain_id: row.domainId,
    client_kind: row.kind,
    pkce,
  }
}

function flowsOf(kind: OidcClientKind, { ciba, refreshTokens }: OidcClientSettings): OidcPayload {
  if (kind === 'ciba') {
    const grantTypes = ['urn:openid:params:grant-type:ciba']
    return {
      response_types: [],
      grant_types: grantTypes,
      backchannel_token_delivery_mode: ciba?.notificationEndpoint ? 'ping' : 'poll',
      ...(ciba?.notificationEndpoint && { backchannel_client_notification_endpoint: ciba.notificationEndpoint }),
    }
  }
  const grantTypes = refreshTokens ? ['authorization_code', 'refresh_token'] : ['authorization_code']
  return { response_types: ['code'], grant_types: grantTypes }
}
