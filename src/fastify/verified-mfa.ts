import type { FastifyRequest } from 'fastify'

import type { Verified } from '../challenge/challenge.ts'
import type { Need } from '../express/request/need.ts'
import { isVerified as isVerifiedOf } from '../express/request/verified.ts'
import { verifiedMfa as verifiedMfaOf } from '../express/verified-mfa.ts'
import type { AuthenticationNeed } from '../express/request/authentication.ts'
import type { BearerToken } from '../express/request/verified-token.ts'
import { verifiedBearer as verifiedBearerOf } from '../express/verified-bearer.ts'
import { requestOf } from './fastify-request.ts'

/** Whether the user behind this request has passed the second step. */
export function isVerified(request: FastifyRequest): boolean {
  return isVerifiedOf(requestOf(request))
}

/**
 * What was verified, for handlers that must not run otherwise.
 *
 * @param options What is required beyond the options of `mfa`, as for `requireMfa()`; an action cannot be named.
 * @throws {MfaRequiredError} when it was not, or the request has signed another user in; {TypeError} on unknown options;
 * {RangeError} when maxAge is over 43,200 s.
 */
export function verifiedMfa(request: FastifyRequest, options: Omit<Need, 'purpose'> = {}): Verified {
  return verifiedMfaOf(requestOf(request), options)
}

/**
 * The access token of a request that has passed `requireMfa({ bearer })`.
 *
 * @param need What is required beyond the options of the route.
 * @throws {InsufficientAuthenticationError} when the user has to sign in again, or in a stronger way; {Error} when the route lacks
 * `requireMfa({ bearer })`; {TypeError} on unknown options; {RangeError} when maxAge is over 43,200 s.
 */
export function verifiedBearer(request: FastifyRequest, need: AuthenticationNeed = {}): BearerToken {
  return verifiedBearerOf(requestOf(request), need)
}
