import Negotiator from 'negotiator'

export type Encoding = 'br' | 'gzip' | 'identity'

/** Ordered by preference, for callers who accept several with the same quality. */
const encodings = ['br', 'gzip', 'identity'] as const

/** The types of `negotiator` do not declare the options of version 1. */
type Choose = (available: typeof encodings, options: { readonly preferred: typeof encodings }) => Encoding | undefined

/** Chooses by the qualities of `Accept-Encoding` (RFC 9110 section 12.5.3). Callers who accept nothing get a file as it is. */
export function bestEncoding(accepted = ''): Encoding {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } }) as { readonly encoding: Choose }
  return negotiator.encoding(encodings, { preferred: encodings }) ?? 'identity'
}
