import { z } from 'zod'

import { isProtected } from '../options/bearer-options.ts'

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url() })

export type Get = (address: string) => Promise<Response>

/**
 * The address of an issuer's keys, from its metadata. OAuth and OpenID Connect have each an address for them, and most issuers serve one.
 *
 * @throws {Error} that says for each address what is wrong with it.
 * @see RFC 8414 section 3, OpenID Connect Discovery 1.0 section 4
 */
export async function discoverJwksUri(issuer: string, get: Get): Promise<string> {
  const reasons: string[] = []
  for (const address of metadataAddresses(issuer)) {
    try {
      return jwksUriIn(await readMetadata(address, get), issuer)
    } catch (error) {
      reasons.push(`${address}: ${reasonOf(error)}`)
    }
  }
  throw new Error(`no metadata that names its keys (${reasons.join('; ')})`)
}

/** OAuth inserts its path before that of the issuer, and OpenID Connect appends it. */
function metadataAddresses(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
}

async function readMetadata(address: string, get: Get): Promise<z.output<typeof Metadata>> {
  const response = await get(address)
  const parsed = Metadata.safeParse(await response.json())
  if (parsed.success) return parsed.data
  throw new Error('lacks issuer or jwks_uri')
}

function jwksUriIn({ issuer, jwks_uri: address }: z.output<typeof Metadata>, expected: string): string {
  // RFC 8414 section 3.3: the metadata of another issuer must not be used.
  if (issuer !== expected) throw new Error(`is the metadata of ${issuer}`)
  if (!isProtected(new URL(address))) throw new Error(`jwks_uri is plain http (${address})`)
  return address
}

/** Describes an error in one line, with what `fetch` hides in the cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? `${error.message} (${cause.message})` : error.message
}
