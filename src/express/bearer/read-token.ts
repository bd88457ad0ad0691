import type { FrameworkRequest } from '../framework/request.ts'
import type { Challenge } from '../request/authentication.ts'
import { challenge, quoted } from '../request/authentication.ts'

/** The longest token that is verified, characters: Node accepts 16 kB of headers by default. */
const maxLength = 16_384

/**
 * Reads the access token from `Authorization`, and from nowhere else: addresses end up in logs and histories, and a body may have been sent by
 * a form of another site (RFC 9700 section 4.3.2).
 *
 * @param realm Names this API where the request has no token (RFC 6750 section 3).
 */
export function readToken(req: FrameworkRequest, realm: string): string | Challenge {
  const { authorization } = req.headers
  // Node keeps the first of several headers, and a proxy in front may have checked the last.
  if (countAuthorizations(req) > 1) return challenge(400, 'invalid_request', 'Send one Authorization header')
  const [scheme = '', ...rest] = (authorization ?? '').split(' ')
  // RFC 6750 section 3.1: a request without a token, or with another scheme, gets no error code.
  if (scheme.toLowerCase() !== 'bearer') return { status: 401, header: `Bearer realm=${quoted(realm)}` }
  const token = rest.join(' ').trim()
  // RFC 6750 section 2.1, `b64token`.
  if (!/^[\w.~+/-]+=*$/.test(token)) {
    return challenge(400, 'invalid_request', 'Write: Authorization: Bearer, a space, and the access token')
  }
  return token.length > maxLength ? challenge(401, 'invalid_token', 'The access token is too long') : token
}

function countAuthorizations({ rawHeaders = [] }: FrameworkRequest): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization').length
}
