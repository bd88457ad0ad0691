import { clockSkew } from '../../ground/clock.ts'
import type { BearerToken } from './verified-token.ts'

/** How users must have authenticated for a route. */
export interface AuthenticationNeed {
  /**
   * The maximum age of the authentication (`auth_time`), in seconds; at most 43,200.
   * @default any time
   */
  readonly maxAge?: number | undefined
  /**
   * The accepted classes (`acr`), the preferred one first; one of them suffices.
   * @default those of `requireMfa({ bearer, acr })`
   */
  readonly acr?: readonly string[] | undefined
}

/**
 * What a route asks for beyond the token that it got (RFC 9470).
 *
 * @param now Unix time, seconds.
 * @returns undefined if the authentication suffices.
 */
export function unmetNeed(
  { acr, authTime }: BearerToken,
  need: AuthenticationNeed,
  now: number,
): 'class' | 'age' | undefined {
  if (need.acr && (acr === undefined || !need.acr.includes(acr))) return 'class'
  if (need.maxAge === undefined) return undefined
  // The clock of an issuer that is ahead by more would keep a user fresh for too long.
  const isKnown = authTime !== undefined && authTime <= now + clockSkew
  return isKnown && now - authTime <= need.maxAge ? undefined : 'age'
}

/** An answer that asks for another access token (RFC 6750 section 3). */
export interface Challenge {
  readonly status: number
  /** The value of `WWW-Authenticate`. */
  readonly header: string
  /** For scripts, because a page at another origin may be unable to read the header. */
  readonly body?: Readonly<Record<string, string | number>> | undefined
}

/** Asks for a new authentication, with all that the route requires: one is enough then (RFC 9470 section 3). */
export function stepUpChallenge(unmet: 'class' | 'age', { acr, maxAge }: AuthenticationNeed): Challenge {
  const message = unmet === 'class' ? 'The user has to sign in with a stronger method' : 'The user has to sign in again'
  const asked = {
    ...(acr && { acr_values: acr.join(' ') }),
    ...(maxAge !== undefined && { max_age: maxAge }),
  }
  return challenge(401, 'insufficient_user_authentication', message, asked)
}

/** @param message In ASCII, without quotes and backslashes (RFC 6750 section 3). */
export function challenge(
  status: number,
  error: string,
  message: string,
  more: Readonly<Record<string, string | number>> = {},
): Challenge {
  const parameters = Object.entries<string | number>({ error, error_description: message, ...more })
  const header = `Bearer ${parameters.map(([name, value]) => `${name}=${quoted(String(value))}`).join(', ')}`
  return { status, header, body: { error, message, ...more } }
}

/** A quoted string (RFC 9110 section 5.6.4). */
export const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
