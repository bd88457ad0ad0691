import type { HttpRequest } from '../framework/http-request.ts'
import { removeMfaState, hasWebSession } from './session-state.ts'
import { removeAndSaveMfaState } from './web-session.ts'

/**
 * Ends the second step of this web session: the next user to sign in has to pass it again. For apps that sign users out before
 * `mfa()` runs, or without Passport; after `mfa()` use `req.mfa.forget()`.
 *
 * @example
 * app.post('/logout', async (req, res) => {
 *   delete req.session.username
 *   await forgetMfa(req)
 *   res.redirect('/')
 * })
 */
export async function forgetMfa(req: HttpRequest): Promise<void> {
  if (hasWebSession(req)) await removeAndSaveMfaState(req)
}

/** The same before Passport signs a user in or out, which stores the web session. */
export function forgetWithLogin(req: HttpRequest): void {
  if (hasWebSession(req)) removeMfaState(req)
}
