import type { FastifyReply, FastifyRequest } from 'fastify'

import { createRouteGuard } from '../express/require-mfa.ts'
import type { RequireMfaOptions } from '../express/require-mfa.ts'
import { answerableRequest, requestOf } from './fastify-request.ts'
import { addMfaMember } from './request-member.ts'

/** A hook that runs before the handler of a route. */
export type MfaHook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/**
 * Guards one route: only users pass who are verified, within `maxAge` seconds (a step-up) and by one of `factors` where these are given.
 * With `bearer`, access tokens pass, and others get the challenge of RFC 9470.
 *
 * @throws {TypeError} on unknown options; {RangeError} when maxAge is over 43,200 s; {SetupError} when `bearer` reads keys over plain http.
 *
 * @example
 * app.post('/transfer', { preHandler: requireMfa({ maxAge: 300 }) }, transfer)
 * app.post('/api/transfer', { onRequest: requireMfa({ bearer: { issuer, audience }, acr: ['phr'], maxAge: 300 }) }, transfer)
 */
export function requireMfa(options: RequireMfaOptions = {}): MfaHook {
  const guard = createRouteGuard(options, 'await app.register(mfa, …)')
  const isBearer = options.bearer !== undefined
  return (request, reply, done) => {
    try {
      // Such a route works without the plugin, which otherwise prepares the request.
      if (isBearer) addMfaMember(request)
      guard(isBearer ? answerableRequest(request, reply) : requestOf(request), done as (error?: unknown) => void)
    } catch (error) {
      done(error as Error)
    }
  }
}
