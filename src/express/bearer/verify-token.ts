import { errors, jwtVerify } from 'jose'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'

import { clockSkew } from '../../ground/clock.ts'
import type { ResolvedBearer } from '../options/bearer-options.ts'
import type { BearerToken } from '../request/verified-token.ts'

/**
 * Verifies a JWT access token.
 *
 * @returns what it says, or why it does not count, in words for `error_description`.
 * @throws {KeysUnavailableError} where it could not be decided.
 * @see RFC 9068 section 4
 */
export async function verifyToken(
  token: string,
  { issuer, audience, algorithms, clock }: ResolvedBearer,
  keys: JWTVerifyGetKey,
): Promise<BearerToken | string> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: typeof audience === 'string' ? audience : [...audience],
      algorithms: [...algorithms],
      // An ID token has another type, and says nothing about what its bearer may do.
      typ: 'at+jwt',
      requiredClaims: ['exp'],
      currentDate: new Date(clock.now() * 1000),
      clockTolerance: clockSkew,
    })
    return readClaims(payload)
  } catch (error) {
    if (error instanceof errors.JOSEError) return describeRejection(error)
    throw error
  }
}

function readClaims(claims: JWTPayload): BearerToken | string {
  const { sub, scope, acr, auth_time: authTime, cnf } = claims
  // Whoever has copied it could use it as if it were bound to nothing (RFC 7800, RFC 8705, RFC 9449).
  if (cnf !== undefined) return 'This API cannot verify access tokens that are bound to a key (cnf)'
  if (typeof sub !== 'string') return 'The access token does not say whose it is (sub)'
  return Object.freeze({
    subject: sub,
    scopes: typeof scope === 'string' ? scope.split(' ').filter(Boolean) : [],
    acr: typeof acr === 'string' ? acr : undefined,
    authTime: typeof authTime === 'number' && Number.isFinite(authTime) ? authTime : undefined,
    claims: Object.freeze(claims),
  })
}

function describeRejection(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The access token has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return claimRejections[error.claim] ?? noToken
  if (error instanceof errors.JWKSNoMatchingKey) return 'The issuer has no key for this access token'
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'The access token does not name its key (kid)'
  return noToken
}

const noToken = 'The access token is not valid'

const claimRejections: Readonly<Record<string, string>> = {
  typ: 'The token is not an access token of the type at+jwt',
  iss: 'The access token is from another issuer',
  aud: 'The access token is for another API',
  nbf: 'The access token is not valid yet',
}
