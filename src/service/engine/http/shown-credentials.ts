import type { IncomingHttpHeaders } from 'node:http'

import type { Vendor } from '../../../contract/media-type.ts'
import type { ShownCredentials } from '../audit/refused-keys.ts'
import type { KeyRefusal } from '../audit/events.ts'

/** Schemes of the IANA registry that callers may send by mistake. */
const knownSchemes = ['Service', 'Basic', 'Bearer', 'Digest', 'DPoP', 'HOBA', 'Mutual', 'Negotiate', 'Device']

export function shownCredentials(headers: IncomingHttpHeaders, vendor: Vendor): ShownCredentials {
  const { authorization, accept } = headers
  return {
    reason: reasonOf(authorization, vendor),
    scheme: authorization === undefined ? undefined : shownScheme(authorization, vendor),
    accept: shownType(accept),
    contentType: shownType(headers['content-type']),
  }
}

function reasonOf(header: string | undefined, { scheme }: Vendor): KeyRefusal {
  if (header === undefined || header.trim() === '') return 'no_key'
  if (!startsWith(header, scheme)) return 'other_scheme'
  return /^\S+\s+key\s*=\s*("?[A-Za-z0-9]{64}"?)\s*$/i.test(header) ? 'unknown_key' : 'malformed_key'
}

/**
 * A header without a scheme starts with the key itself. So a known word is shown in our own spelling, and an unknown word only
 * if `key=` follows it and it has neither the length nor the digits of a key.
 */
function shownScheme(header: string, { scheme }: Vendor): string {
  const knownScheme = [scheme, ...knownSchemes].find((word) => startsWith(header, word))
  const [, unknown] = /^([A-Za-z][A-Za-z-]{0,19})[ \t]+key[ \t]*=/i.exec(header) ?? []
  return knownScheme ?? unknown ?? 'other'
}

const startsWith = (header: string, word: string) =>
  header.slice(0, word.length).toLowerCase() === word.toLowerCase() && /^(\s|$)/.test(header.slice(word.length))

/** The vendor's type if there are several. A long run of letters and digits may be a key in the wrong header. */
function shownType(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const types = header.slice(0, 1024).split(',')
  const [type = ''] = (types.find((each) => each.includes('/vnd.')) ?? types[0] ?? '').split(';', 1)
  const readable = /^[\w!#$&^.+*-]{1,64}\/[\w!#$&^.+*-]{1,64}$/.test(type.trim()) && !/[A-Za-z0-9]{20}/.test(type)
  return readable ? type.trim() : 'unreadable'
}
