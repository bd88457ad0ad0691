import type { IncomingMessage } from 'node:http'

import { removeMfaState, removeAndSaveMfaState, hasWebSession } from './web-session.ts'

/**
 * Ends the second step of this web session with its login: whoever signs in here next has to pass it again. For apps that
 * sign people out before `mfa()` runs, or without Passport; behind `mfa()` it is `req.mfa.forget()`.
 *
 * @example
 * app.post('/logout', async (req, res) => {
 *   delete req.session.username
 *   await forgetMfa(req)
 *   res.redirect('/')
 * })
 */
export async function forgetMfa(req: IncomingMessage): Promise<void> {
  if (hasWebSession(req)) await removeAndSaveMfaState(req)
}

/** The same where whoever ends the login stores the web session: before Passport signs somebody in or out. */
export function forgetWithLogin(req: IncomingMessage): void {
  if (hasWebSession(req)) removeMfaState(req)
}
