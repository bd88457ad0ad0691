import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { Id } from './text.ts'

/** 10 characters without look-alikes; read without regard to case, blanks and hyphens. */
export const activationCodeAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
export const activationCodeLength = 10

/** An activation code as people type or paste it, brought to the form it was issued in. */
export const ActivationCode = z
  .string()
  .max(64)
  .transform((value) => value.replace(/[\s-]/g, '').toLowerCase())
  .pipe(z.string().regex(/^[a-hj-km-np-z2-9]{10}$/))

/** What ties a user to one device within one domain. */
export const Token = z.object({
  state: z.enum(['pending', 'active']),
  /** The activation code; only while pending. */
  code: z.string().optional(),
})
export type Token = z.infer<typeof Token>

const TokenParams = z.object({ domainId: Id, userId: Id })

export const issueToken = endpoint({
  method: 'PUT',
  path: '/domains/:domainId/users/:userId/token',
  summary: 'Issues a token; answers the present one while it is pending or active.',
  params: TokenParams,
  response: Token,
  role: 'auth',
  errors: ['api.error.notfound.domain', 'api.error.notfound.user'],
})

export const getToken = endpoint({
  method: 'GET',
  path: '/domains/:domainId/users/:userId/token',
  summary: 'Reads the token of a user in the domain.',
  params: TokenParams,
  response: Token,
  role: 'auth',
  errors: ['api.error.notfound.domain', 'api.error.notfound.user', 'api.error.notfound.token'],
})

export const revokeToken = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/users/:userId/token',
  summary: 'Revokes the token; its device can no longer answer.',
  params: TokenParams,
  errors: ['api.error.notfound.domain', 'api.error.notfound.user', 'api.error.notfound.token'],
})
