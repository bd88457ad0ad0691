import type { FastifyReply, FastifyRequest } from 'fastify'

import { createGuard } from '../express/require-mfa.ts'
import type { RequireMfaOptions } from '../express/require-mfa.ts'
import { requestOf } from './fastify-request.ts'

/** A hook that runs before the handler of a route. */
export type MfaHook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/**
 * Guards one route: only users pass who are verified, within `maxAge` seconds (a step-up) and by one of `factors` where these are given.
 *
 * @throws {TypeError} on unknown options; {RangeError} when maxAge is over 43,200 s.
 *
 * @example
 * app.post('/transfer', { preHandler: requireMfa({ maxAge: 300 }) }, transfer)
 */
export function requireMfa(options: RequireMfaOptions = {}): MfaHook {
  const guard = createGuard(options, 'await app.register(mfa, …)')
  return (request, _reply, done) => {
    try {
      guard(requestOf(request), done as (error?: unknown) => void)
    } catch (error) {
      done(error as Error)
    }
  }
}
