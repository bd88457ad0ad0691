import { z } from 'zod'

import { responseOf } from './framework/express-response.ts'
import type { Guard } from './framework/guard.ts'
import type { FrameworkRequest } from './framework/request.ts'
import type { ResolvedBearer } from './options/bearer-options.ts'
import { checkAddresses } from './options/bearer-options.ts'
import type { AuthenticationNeed } from './request/authentication.ts'
import type { Need } from './request/need.ts'
import { setVerifiedToken } from './request/verified-token.ts'
import { addRequestMfa } from './request-mfa.ts'

/** Classes as they are sent, separated by spaces, in a quoted string (RFC 9470 section 3, RFC 6749 appendix A). */
export const AcrValues = z
  .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a class such as phr, without spaces'))
  .min(1)

/** The options of a route that access tokens pass, parsed. */
export interface BearerNeed {
  readonly bearer: ResolvedBearer
  readonly acr: readonly string[] | 'any' | undefined
  readonly need: Need
  /** The option `bearer` as the app has written it. */
  readonly written: object
}

/**
 * Guards a route by access tokens alone: neither cookies nor the options of `mfa()` decide here, so a rejected token never falls back to a web session.
 *
 * @throws {TypeError} without `acr`, and on options that no token can satisfy; {SetupError} on plain http.
 */
export function createBearerGuard(caller: string, options: BearerNeed): Guard {
  const { bearer, written } = options
  const route = { bearer, written, need: readAuthenticationNeed(caller, options) }
  checkAddresses(caller, bearer)

  /** Only requests of such routes load the code for them. @returns whether the request may pass. */
  async function passes(req: FrameworkRequest): Promise<boolean> {
    const { decide } = await import('./bearer/decide.ts')
    const decision = await decide(req, route)
    if (decision.kind === 'passed') {
      setVerifiedToken(req, { token: decision.token, clock: bearer.clock })
      if (!('mfa' in req)) addRequestMfa(req)
      return true
    }
    const res = responseOf(req)
    if (!res.isAnswered) res.send(decision.answer)
    return false
  }

  return (req, next) => {
    passes(req).then((isPassed) => isPassed && next(), next)
  }
}

function readAuthenticationNeed(caller: string, { acr, need }: BearerNeed): AuthenticationNeed {
  const { maxAge, ...others } = need
  for (const [name, value] of Object.entries(others)) {
    if (value === undefined) continue
    throw new TypeError(
      `${caller}: ${name} is about web sessions, and bearer about access tokens: write acr: ['…'] in its place`,
    )
  }
  if (acr === undefined) {
    throw new TypeError(
      `${caller}: bearer needs acr, the classes that prove a second factor at your issuer, such as acr: ['phr']. ` +
        "Write acr: 'any' only if the issuer asks everybody for one, or if your handlers call verifiedBearer(req, { acr })",
    )
  }
  return { maxAge, acr: acr === 'any' ? undefined : acr }
}
