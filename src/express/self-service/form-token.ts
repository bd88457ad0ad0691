import type { WebRequest } from '../request/web-request.ts'
import type { MfaState } from '../session/mfa-state.ts'

/** The token that proves, where a browser sends no `Sec-Fetch-Site`, that a form came from a page of this web session. */
export function withFormToken({ state, context }: WebRequest): { readonly token: string; readonly state: MfaState } {
  if (state.page !== undefined) return { token: state.page, state }
  const token = Buffer.from(context.mfa.options.random(16)).toString('base64url')
  return { token, state: { ...state, page: token } }
}
