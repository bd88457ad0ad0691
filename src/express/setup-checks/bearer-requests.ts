import type { HttpRequest } from '../framework/http-request.ts'
import type { FrameworkRequest } from '../framework/request.ts'
import type { FrameworkResponse } from '../framework/response.ts'
import type { RequestContext } from '../request/context.ts'
import { isPublic } from '../request/public-path.ts'
import { verifiedTokenOf } from '../request/verified-token.ts'
import { warnOnce, wasWarned } from '../request/warn.ts'

/**
 * Warns once if an API behind `mfa()` accepts bearer tokens: the gate checks web sessions, and such requests have none. Only the
 * issuer of a token knows whether the user had passed the second step.
 */
export function warnOfBearer(
  req: FrameworkRequest,
  res: FrameworkResponse,
  { mfa: { options } }: RequestContext,
): void {
  if (!options.gate || wasWarned(options, 'bearer') || !isBearer(req) || isPublic(req, options)) return
  res.raw.once('finish', () => {
    if (res.raw.statusCode >= 300 || verifiedTokenOf(req)) return
    const path = req.baseUrl + req.path
    warnOnce(
      options,
      `${req.method} ${path}: a request with a bearer token was answered, and mfa() gates web sessions, not tokens. ` +
        "Issue tokens after the second step: app.post('/token', requireMfa(), (req, res) => " +
        'res.json(sign({ mfa: verifiedMfa(req).at }))). Refuse all others: ' +
        `app.use('${path}', (req, res, next) => (req.auth.mfa ? next() : res.sendStatus(403))). ` +
        'For the tokens of an OAuth issuer, use requireMfa({ bearer: { issuer, audience }, acr }). ' +
        `If no person uses this API, list it: public: ['${path}'].`,
      'bearer',
    )
  })
}

/** RFC 6750 section 2.1; the scheme without regard to case (RFC 9110 section 11.1). */
export function isBearer({ headers }: HttpRequest): boolean {
  return /^bearer /i.test(headers.authorization ?? '')
}
