import type { FrameworkRequest } from '../framework/request.ts'
import type { Carried } from '../../challenge/challenge.ts'
import type { MfaUser } from '../../challenge/user.ts'
import type { MfaState } from '../session/mfa-state.ts'
import { readMfaState } from '../session/session-state.ts'
import type { RequestContext } from './context.ts'
import { queryOf } from './query.ts'

/** A request by a signed-in user, as handlers see it: to be read, never to be answered. */
export interface WebRequest {
  /** Headers, query and address; the app's own functions take it as it is. */
  readonly req: FrameworkRequest
  readonly context: RequestContext
  readonly user: MfaUser
  /** The MFA state of the web session, loaded once. */
  readonly state: MfaState
  /** The query of the address, parsed once. */
  readonly query: URLSearchParams
  /** The fields of a posted form. */
  readonly form: Readonly<Record<string, unknown>>
  /** Set while a form is carried out that a confirmation had interrupted: the request itself is that which passed the challenge. */
  readonly carried?: Carried
}

export function createWebRequest(req: FrameworkRequest, context: RequestContext, user: MfaUser): WebRequest {
  return { req, context, user, state: readMfaState(req, context), query: queryOf(req), form: {} }
}
