import type { KoaContextWithOIDC } from 'oidc-provider'

import type { Packages } from './packages.ts'

/** How long a signed request object may be valid, seconds: whoever finds one in a log or a history must come too late. */
const maxRequestLifetime = 300

/**
 * Request objects that clients sign (RFC 9101). As an authorization request, each of them asks for one sign-in, once. The same one can be
 * pushed again while it is valid: who pushes is the client itself, which has authenticated itself there and could sign another one. A
 * client that has no secret and no key says nothing that counts, because its users sign in whole. Each push makes a request that is used once.
 */
export interface SignedRequests {
  /** Checks the claims of a request object before its signature is verified. */
  check(ctx: KoaContextWithOIDC, claims: Readonly<Record<string, unknown>>): void
  /** Uses up the request object of this request, after its signature was verified. */
  useUp(ctx: KoaContextWithOIDC): Promise<void>
}

interface Noted {
  readonly jti: string
  readonly exp: number
}

export function createSignedRequests({ errors }: Packages['openid'], now: () => number): SignedRequests {
  const noted = new WeakMap<object, Noted>()
  return {
    check(ctx, { jti, exp, iat, aud }) {
      // What was pushed is a request object without a signature, which oidc-provider has made; it is used up as a request_uri.
      if (ctx.oidc.entities.PushedAuthorizationRequest) return
      if (typeof jti !== 'string' || jti.length < 16 || jti.length > 256)
        throw new errors.InvalidRequestObject("the claim 'jti' must have 16 to 256 characters")
      if (typeof exp !== 'number' || typeof iat !== 'number' || typeof aud === 'undefined')
        throw new errors.InvalidRequestObject("the claims 'exp', 'iat' and 'aud' are required")
      if (exp - now() > maxRequestLifetime + clockTolerance || exp - iat > maxRequestLifetime)
        throw new errors.InvalidRequestObject(
          `the claim 'exp' must be at most ${maxRequestLifetime} seconds after 'iat'`,
        )
      noted.set(ctx.oidc, { jti, exp })
    },
    async useUp(ctx) {
      const request = noted.get(ctx.oidc)
      if (!request) return
      noted.delete(ctx.oidc)
      const { provider, client } = ctx.oidc
      const isFirst = await provider.ReplayDetection.unique(
        client?.clientId ?? '',
        `request object ${request.jti}`,
        request.exp + clockTolerance,
      )
      if (!isFirst) throw new errors.InvalidRequestObject('the request object was used before')
    },
  }
}

/** How far the clocks of clients may be off, seconds. */
export const clockTolerance = 15
