import type { IncomingHttpHeaders } from 'node:http'

import { ApiProblem } from '../../engine/base/problem.ts'

/**
 * The rule against cross-site request forgery: a change comes from a page of the console, and a read does not come from a page of
 * another origin. `SameSite=Strict` alone would let pages of other origins on the same site in.
 */
export function requireSameOrigin(method: string, headers: IncomingHttpHeaders, origin: string): void {
  const isRead = method === 'GET' || method === 'HEAD'
  const site = headers['sec-fetch-site']
  const isForeign = isRead ? site === 'cross-site' || site === 'same-site' : headers.origin !== origin
  if (isForeign) throw new ApiProblem('api.error.forbidden', `Requests must come from a page of ${origin}.`)
}
