import type { OidcClientChanges } from '../../../admin-contract/oidc-client-settings.ts'

/** The settings of a client that can be changed. */
export const settingNames = [
  'name',
  'authentication',
  'native',
  'pkce',
  'redirectUris',
  'postLogoutRedirectUris',
  'jwks',
  'jwksUri',
  'resources',
  'refreshTokens',
  'scopes',
  'entra',
  'ciba',
] as const satisfies readonly (keyof OidcClientChanges)[]
