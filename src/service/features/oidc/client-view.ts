import type { z } from 'zod'

import type { NewOidcClient, OidcScope } from '../../../admin-contract/oidc-client-settings.ts'
import type { OidcClient } from '../../../admin-contract/oidc-clients.ts'
import { CibaSettings } from '../../../admin-contract/oidc-ciba.ts'
import type { EntraSettings } from '../../../admin-contract/oidc-entra.ts'
import type { PublicJwkSet } from '../../../admin-contract/oidc-jwks.ts'
import type { Fact } from '../../engine/database/schema/schema.ts'
import type { OidcClientRow } from './client-statements.ts'

export type OidcClientSettings = Omit<z.output<typeof NewOidcClient>, 'kind'>

/** The settings of a client as the database has them. */
export function columnsOf(settings: OidcClientSettings) {
  const { name, authentication, native, pkce, redirectUris, postLogoutRedirectUris, jwks, jwksUri, scopes } = settings
  const { resources, refreshTokens, entra, ciba } = settings
  return {
    name,
    authentication,
    native: fact(native),
    pkce,
    redirectUris: JSON.stringify(redirectUris),
    postLogoutRedirectUris: JSON.stringify(postLogoutRedirectUris),
    jwks: jwks && JSON.stringify(jwks),
    jwksUri,
    resources: JSON.stringify(resources),
    refreshTokens: fact(refreshTokens),
    scopes: JSON.stringify(scopes),
    entra: entra && JSON.stringify(entra),
    ciba: ciba && JSON.stringify(ciba),
  }
}

const fact = (value: boolean): Fact => (value ? 1 : 0)

export function settingsOf(row: OidcClientRow): OidcClientSettings {
  return {
    name: row.name,
    authentication: row.authentication,
    native: row.native === 1,
    pkce: row.pkce,
    redirectUris: JSON.parse(row.redirectUris) as string[],
    postLogoutRedirectUris: JSON.parse(row.postLogoutRedirectUris) as string[],
    jwks: row.jwks === null ? null : (JSON.parse(row.jwks) as PublicJwkSet),
    jwksUri: row.jwksUri,
    resources: JSON.parse(row.resources) as string[],
    refreshTokens: row.refreshTokens === 1,
    scopes: JSON.parse(row.scopes) as OidcScope[],
    entra: row.entra === null ? null : (JSON.parse(row.entra) as EntraSettings),
    ciba: row.ciba === null ? null : CibaSettings.parse(JSON.parse(row.ciba)),
  }
}

/** A client as administrators and the provider see it. @param now Unix time, seconds. */
export function clientView(row: OidcClientRow, now: number): OidcClient {
  const { id, domainId, kind, secretHash, formerSecretUntil, createdAt, version } = row
  return {
    id,
    domain: domainId,
    kind,
    ...settingsOf(row),
    secret: secretHash !== null,
    formerSecretUntil: formerSecretUntil !== null && formerSecretUntil > now ? formerSecretUntil : null,
    createdAt,
    version,
  }
}
