import type { FastifyRequest, RouteGenericInterface } from 'fastify'

import { createApprovalGuard } from '../express/require-approval.ts'
import type { ActionToApprove } from '../express/approvals/action.ts'
import type { ActionOf, RequireApprovalOptions } from '../express/require-approval.ts'
import type { OrPromise } from '../express/options/app.ts'
import { requestOf } from './fastify-request.ts'
import type { MfaHook } from './require-mfa.ts'

/**
 * Guards one route: its handler runs only after the user has approved exactly this action, and once for each approval. The body has to be
 * parsed before it, so it is a `preHandler`.
 *
 * @param action Computes what the user sees, from the request alone; it runs twice.
 * @throws {TypeError} on unknown options; {RangeError} when maxAge is over 43,200 s.
 *
 * @example
 * app.post('/transfer', { preHandler: requireApproval((request: FastifyRequest<{ Body: Transfer }>) => ({
 *   title: `Transfer ${request.body.amount}`,
 * })) }, transfer)
 */
export function requireApproval<Route extends RouteGenericInterface = RouteGenericInterface>(
  action: (request: FastifyRequest<Route>) => OrPromise<ActionToApprove>,
  options: RequireApprovalOptions = {},
): MfaHook {
  const guard = createApprovalGuard(action as unknown as ActionOf, options, 'await app.register(mfa, …)')
  return (request, _reply, done) => {
    try {
      guard(requestOf(request), done as (error?: unknown) => void)
    } catch (error) {
      done(error as Error)
    }
  }
}
