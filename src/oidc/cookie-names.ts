import { createHash } from 'node:crypto'

import { prefixOf } from './addresses.ts'

/**
 * Names a cookie for the whole host. Paths do not keep such cookies apart, so the name does: issuers on one host that differ in their
 * path share none. A path can contain what a name cannot (RFC 6265 section 4.1.1).
 */
export function hostCookie(issuer: string, name: string): string {
  const prefix = prefixOf(issuer)
  const mount = prefix === '' ? '' : `${createHash('sha256').update(prefix).digest('hex').slice(0, 8)}-`
  return `${issuer.startsWith('https:') ? '__Host-' : ''}oidc-${mount}${name}`
}
