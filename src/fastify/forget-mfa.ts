import type { FastifyRequest } from 'fastify'

import { forgetMfa as forgetMfaOf } from '../express/session/forget.ts'
import { requestOf } from './fastify-request.ts'

/** Ends the second step of this web session: the next user to sign in has to pass it again. For apps that sign users out. */
export function forgetMfa(request: FastifyRequest): Promise<void> {
  return forgetMfaOf(requestOf(request))
}
