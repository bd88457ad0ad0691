import type { FastifyRequest } from 'fastify'

import type { RequestMfa } from '../express/request-mfa.ts'
import { requestOf } from './fastify-request.ts'

/** Implements `request.mfa`. */
export const mfaMember = { get: requestMfaOf, configurable: true }

/** Adds `request.mfa` where the plugin was not registered, which decorates all requests with it. */
export function addMfaMember(request: FastifyRequest): void {
  if (!('mfa' in request)) Object.defineProperty(request, 'mfa', mfaMember)
}

function requestMfaOf(this: FastifyRequest): RequestMfa | undefined {
  return (requestOf(this) as { readonly mfa?: RequestMfa }).mfa
}
