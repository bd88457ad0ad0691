import { z } from 'zod'

import { parseOptions } from '../contract/validate.ts'
import { AcrValues } from './bearer-guard.ts'
import type { HttpRequest } from './framework/http-request.ts'
import type { AuthenticationNeed, Challenge } from './request/authentication.ts'
import { stepUpChallenge, unmetNeed } from './request/authentication.ts'
import { NeedSchema, readNeed } from './request/need.ts'
import type { BearerToken } from './request/verified-token.ts'
import { verifiedTokenOf } from './request/verified-token.ts'

/** What `verifiedBearer()` throws. Express and Fastify answer with it where the app does not, and GraphQL passes `extensions` on to the caller. */
export class InsufficientAuthenticationError extends Error {
  override readonly name = 'InsufficientAuthenticationError'
  readonly status = 401
  /** As Fastify reads it. */
  readonly statusCode = 401
  /** `WWW-Authenticate`, as `requireMfa({ bearer })` sends it. */
  readonly headers: { readonly 'WWW-Authenticate': string }
  /** What `requireMfa({ bearer })` sends to scripts. */
  readonly body: Readonly<Record<string, string | number>>
  readonly extensions: {
    readonly code: 'INSUFFICIENT_USER_AUTHENTICATION'
    /** What to send to the authorization server, as in an answer with 401. */
    readonly acr_values: string | undefined
    readonly max_age: number | undefined
  }

  constructor({ header, body = {} }: Challenge, { acr, maxAge }: AuthenticationNeed) {
    super('verifiedBearer(): the access token comes from a sign-in that does not suffice')
    this.headers = { 'WWW-Authenticate': header }
    this.body = body
    this.extensions = { code: 'INSUFFICIENT_USER_AUTHENTICATION', acr_values: acr?.join(' '), max_age: maxAge }
  }
}

/** Checks {@link AuthenticationNeed}. */
const AuthenticationSchema = z.strictObject({ maxAge: NeedSchema.shape.maxAge, acr: AcrValues.optional() })

/**
 * The access token of a request that has passed `requireMfa({ bearer })`, for handlers that must not run otherwise, and for the fields of an API
 * with one address, such as GraphQL.
 *
 * @param need What is required beyond the options of the route.
 * @returns what the token says.
 * @throws {InsufficientAuthenticationError} when the user has to sign in again, or in a stronger way; {Error} when the route lacks
 * `requireMfa({ bearer })`; {TypeError} on unknown options; {RangeError} when maxAge is over 43,200 s.
 *
 * @example
 * const resolvers = { pay: (_args, { req }) => pay(verifiedBearer(req, { maxAge: 300, acr: ['phr'] }).subject) }
 */
export function verifiedBearer(req: HttpRequest, need: AuthenticationNeed = {}): BearerToken {
  const parsed = parseOptions(AuthenticationSchema, 'verifiedBearer', need)
  readNeed('verifiedBearer', { maxAge: parsed.maxAge })
  const verified = verifiedTokenOf(req)
  if (!verified) throw new Error('verifiedBearer() needs requireMfa({ bearer }) before it')
  const { token, clock } = verified
  const unmet = unmetNeed(token, parsed, clock.now())
  if (unmet === undefined) return token
  throw new InsufficientAuthenticationError(stepUpChallenge(unmet, parsed), parsed)
}
