import type { Clock } from '../../ground/clock.ts'
import type { HttpRequest } from '../framework/http-request.ts'

/** What a verified access token says. */
export interface BearerToken {
  /** Whose token it is: the claim `sub`. For a client that acts for itself, it names the client. */
  readonly subject: string
  /** What the token allows; your route decides what it needs. */
  readonly scopes: readonly string[]
  /** The class in which the user has authenticated; undefined if the issuer does not say it. */
  readonly acr: string | undefined
  /** When the user has authenticated, Unix seconds; undefined if the issuer does not say it. */
  readonly authTime: number | undefined
  /** All claims, as they were signed. */
  readonly claims: Readonly<Record<string, unknown>>
}

interface Verified {
  readonly token: BearerToken
  /** The clock that the route has verified it by. */
  readonly clock: Clock
}

/** The token of each request that has passed `requireMfa({ bearer })`. Other requests cost nothing. */
const tokens = new WeakMap<HttpRequest, Verified>()

export const setVerifiedToken = (req: HttpRequest, verified: Verified): void => void tokens.set(req, verified)

export const verifiedTokenOf = (req: HttpRequest): Verified | undefined => tokens.get(req)
