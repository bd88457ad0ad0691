import { hash as digest, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

import type { Vendor } from '../../../contract/media-type.ts'
import { ApiProblem } from '../base/problem.ts'

/** An API key that is stored as its SHA-256, hexadecimal. */
export interface KnownKey {
  /** The key's id in the audit trail. */
  readonly id: string
  readonly hash: string
  readonly organizationId: string
  readonly role: 'admin' | 'auth'
  /** The only domain it is valid for; null for the whole organization. */
  readonly domainId: string | null
  /** The time of the last use, to the hour; absent for a key that is not stored. */
  readonly usedAt?: number | null
}

export type FindKey = (hash: string) => Promise<KnownKey | undefined>

export const hashApiKey = (key: string): string => digest('sha256', key, 'hex')

/** @returns the valid key in the request. */
export async function authenticate(headers: IncomingHttpHeaders, vendor: Vendor, findKey: FindKey): Promise<KnownKey> {
  const key = keyOf(headers.authorization, vendor.scheme)
  if (key === undefined) throw unauthorized(vendor)
  const hash = hashApiKey(key)
  const storedKey = await findKey(hash)
  if (storedKey === undefined || !timingSafeEqual(Buffer.from(storedKey.hash), Buffer.from(hash)))
    throw unauthorized(vendor)
  return storedKey
}

/** `Service key="…"`: scheme and name in any case, quotes optional. */
function keyOf(header: string | undefined, scheme: string): string | undefined {
  const [, word, key] = /^([^\s]+)\s+key\s*=\s*("?[A-Za-z0-9]{64}"?)\s*$/i.exec(header ?? '') ?? []
  return word?.toLowerCase() === scheme.toLowerCase() ? key?.replaceAll('"', '') : undefined
}

export function unauthorized(vendor: Vendor): ApiProblem {
  return new ApiProblem('api.error.unauthorized', undefined, {
    headers: { 'WWW-Authenticate': `${vendor.scheme} realm="${vendor.mediaType}"` },
  })
}
