import { hash } from 'node:crypto'

import { hostOf } from '../framework/host.ts'
import type { Action } from '../../challenge/approval.ts'
import { appOriginOf } from '../request/app-origin.ts'
import type { WebRequest } from '../request/web-request.ts'
import type { OpenApproval } from '../session/open-approvals.ts'
import { canonical } from './canonical.ts'
import { boundBody } from './posted-body.ts'

/** Everything that an approval is bound to, as one text, beside the user and the browser. */
export type Bound = string

/** What an approval of a whole request is bound to. @throws {SetupError} for a body that cannot be compared. */
export function boundRequest(request: WebRequest, action: Action): Bound {
  const { req } = request
  return JSON.stringify(['request', req.method, requestedAddress(request), boundBody(req), actionText(action)])
}

/**
 * What an approval in code is bound to: what the code says.
 * @throws {TypeError} where that is no plain data.
 */
export function boundValue(bind: unknown, action: Action): Bound {
  const text = canonical(bind)
  if (text === undefined) throw new TypeError('req.mfa.approve(): bind has to be plain data, such as { iban, amount }')
  return JSON.stringify(['value', text, actionText(action)])
}

const actionText = ({ title, details }: Action): string =>
  JSON.stringify([title, details.map(({ label, value }) => [label, value])])

/**
 * The whole address as the browser has requested it. Without `publicUrl`, which production requires, the port does not count: supertest
 * opens another one for each request, and browsers send the cookies of a host to all its ports (RFC 6265 section 8.5).
 */
export function requestedAddress(request: WebRequest): string {
  const { req, context } = request
  const origin = appOriginOf(request) ?? `//${hostOf(req) ?? ''}`
  const boundOrigin = context.mfa.options.publicUrl === undefined ? origin.replace(/:\d+$/, '') : origin
  return boundOrigin + context.prefix + req.originalUrl
}

/**
 * The value that alone redeems the approval. It tells nothing about the body: the nonce is random, and stays in the web session.
 * 128 bits, because the service takes no more.
 */
export function challengeFor(
  { nonce, userKey, binding }: Pick<OpenApproval, 'nonce' | 'userKey' | 'binding'>,
  bound: Bound,
): string {
  const text = JSON.stringify(['second-factor approval of a request', nonce, userKey, binding, bound])
  return Buffer.from(hash('sha256', text, 'hex'), 'hex')
    .subarray(0, 16)
    .toString('base64url')
}
