import type { IncomingMessage } from 'node:http'

const renewed = new WeakMap<IncomingMessage, unknown>()

/** The second step signs in nobody new: Passport's login of this user that follows keeps what was passed. */
export function markRenewedLogin(req: IncomingMessage, appUser: unknown): void {
  renewed.set(req, appUser)
}

export function isRenewedLogin(req: IncomingMessage, appUser: unknown): boolean {
  return renewed.has(req) && renewed.get(req) === appUser
}

/** Whether `passport.authenticate('mfa')` has let this request through. */
export function hadSecondStep(req: IncomingMessage): boolean {
  return renewed.has(req)
}
