import { createHash, verify } from 'node:crypto'

import { z } from 'zod'

import type { EntraSettings } from '../admin-contract/oidc-entra.ts'
import { parseJson } from '../contract/validate.ts'
import { EntraError } from './entra-error.ts'
import type { TenantKeys } from './entra-keys.ts'
import { issuerOf } from './entra-keys.ts'

/** Who has to pass the second step, in the words of a tenant. */
export interface EntraHint {
  /** The subject of the token, which the answer repeats. */
  readonly sub: string
  /** The user, as the client has chosen to call them. */
  readonly username: string
  /** Names the signed text of the token: the signature could be written in other ways. */
  readonly digest: string
}

/** How old a hint may be, seconds: the browser brings it at once. */
export const maxHintAge = 300
/** How far the clock of Entra may be off, seconds. */
export const hintClockSkew = 60

const Header = z.object({
  alg: z.literal('RS256'),
  kid: z.string().min(1).max(256),
  /** RFC 7515 section 4.1.11: a token with extensions that are unknown has to be rejected. */
  crit: z.undefined().optional(),
})

const Claims = z.object({
  iss: z.string(),
  aud: z.string(),
  iat: z.int(),
  tid: z.string(),
  oid: z.string().min(1).max(128),
  sub: z.string().min(1).max(255),
  preferred_username: z.string().min(1).optional(),
})

/**
 * Verifies `id_token_hint`, a token of Entra about the user who has passed the first step there. Such tokens are issued expired, so that
 * they sign nobody in: what counts is when they were issued.
 *
 * @throws {EntraError} that says what is wrong.
 */
export async function verifyHint(
  token: string,
  settings: EntraSettings,
  { keys, now }: { readonly keys: TenantKeys; readonly now: number },
): Promise<EntraHint> {
  const [header, payload, signature, ...rest] = token.split('.')
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) {
    throw wrong('is not a signed token')
  }
  const { data: protectedHeader } = Header.safeParse(readPart(header))
  if (!protectedHeader) throw wrong('is not signed by RS256 with a named key')
  const key = await keys.find(settings, protectedHeader.kid)
  if (!key) throw wrong('is signed by a key that the tenant does not have')
  const signed = `${header}.${payload}`
  if (!verify('sha256', Buffer.from(signed), key, Buffer.from(signature, 'base64url'))) {
    throw wrong('has a wrong signature')
  }
  const { data: claims } = Claims.safeParse(readPart(payload))
  if (!claims) throw wrong('lacks a claim that is needed')
  if (claims.iss !== issuerOf(settings) || claims.tid !== settings.tenant) throw wrong('is that of another tenant')
  if (claims.aud !== settings.application) throw wrong('was made for another application')
  const age = now - claims.iat
  if (age > maxHintAge + hintClockSkew || age < -hintClockSkew) throw wrong('was not issued in the last minutes')
  const username = settings.username === 'oid' ? claims.oid : claims.preferred_username
  if (username === undefined) throw wrong('has no preferred_username')
  const digest = createHash('sha256').update(signed).digest('base64url')
  return { sub: claims.sub, username, digest }
}

const readPart = (part: string): unknown => parseJson(Buffer.from(part, 'base64url').toString())

const wrong = (problem: string) => new EntraError('invalid_request', `id_token_hint ${problem}`)
