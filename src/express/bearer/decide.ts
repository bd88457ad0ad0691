import type { JWTVerifyGetKey } from 'jose'

import type { FrameworkRequest } from '../framework/request.ts'
import type { RawAnswer } from '../framework/response.ts'
import type { ResolvedBearer } from '../options/bearer-options.ts'
import type { AuthenticationNeed, Challenge } from '../request/authentication.ts'
import { challenge, stepUpChallenge, unmetNeed } from '../request/authentication.ts'
import type { BearerToken } from '../request/verified-token.ts'
import { createKeys, KeysUnavailableError, retryAfter } from './keys.ts'
import { readToken } from './read-token.ts'
import { verifyToken } from './verify-token.ts'

export interface BearerRoute {
  readonly bearer: ResolvedBearer
  /** The options as the app has written them: routes with the same ones share the keys. */
  readonly written: object
  readonly need: AuthenticationNeed
}

export type Decision =
  | { readonly kind: 'passed'; readonly token: BearerToken }
  | { readonly kind: 'refused'; readonly answer: RawAnswer }

/** Decides a request by its access token alone. Cookies are not read. */
export async function decide(req: FrameworkRequest, route: BearerRoute): Promise<Decision> {
  const { bearer, need } = route
  const { audience, clock } = bearer
  const realm = typeof audience === 'string' ? audience : (audience[0] ?? '')
  const written = readToken(req, realm)
  if (typeof written !== 'string') return refuse(written)
  try {
    const token = await verifyToken(written, bearer, keysFor(route))
    if (typeof token === 'string') return refuse(challenge(401, 'invalid_token', token))
    const unmet = unmetNeed(token, need, clock.now())
    return unmet === undefined ? { kind: 'passed', token } : refuse(stepUpChallenge(unmet, need))
  } catch (error) {
    if (error instanceof KeysUnavailableError) return unavailable
    throw error
  }
}

interface SharedKeys {
  readonly bearer: ResolvedBearer
  readonly keys: JWTVerifyGetKey
}

const shared = new WeakMap<object, SharedKeys>()

/** An app may have changed its object in the meantime, so the addresses are compared. */
function keysFor({ bearer, written }: BearerRoute): JWTVerifyGetKey {
  const known = shared.get(written)
  if (known?.bearer.issuer === bearer.issuer && known.bearer.jwksUri === bearer.jwksUri) return known.keys
  const keys = createKeys(bearer)
  shared.set(written, { bearer, keys })
  return keys
}

function refuse({ status, header, body }: Challenge): Decision {
  const headers = { 'WWW-Authenticate': header }
  if (!body) return { kind: 'refused', answer: { status, headers: { ...headers, 'Content-Length': '0' } } }
  return { kind: 'refused', answer: { status, headers: { ...headers, ...json }, body: JSON.stringify(body) } }
}

const json = { 'Content-Type': 'application/json; charset=utf-8' }

/** Nothing was decided, so nobody passes. */
const unavailable: Decision = {
  kind: 'refused',
  answer: {
    status: 503,
    headers: { 'Retry-After': String(retryAfter), ...json },
    body: JSON.stringify({
      error: 'temporarily_unavailable',
      message: 'Access tokens cannot be verified at the moment',
    }),
  },
}
