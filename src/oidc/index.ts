export { oidc } from './oidc.ts'
export type { OidcHandler } from './oidc.ts'
export type { OidcOptions } from './options.ts'
