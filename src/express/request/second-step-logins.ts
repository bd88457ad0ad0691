import type { IncomingMessage } from 'node:http'

const renewed = new WeakMap<IncomingMessage, unknown>()

/** The second step does not change the user: the login that Passport runs next for this user keeps the MFA state. */
export function markRenewedLogin(req: IncomingMessage, appUser: unknown): void {
  renewed.set(req, appUser)
}

export function isRenewedLogin(req: IncomingMessage, appUser: unknown): boolean {
  return renewed.has(req) && renewed.get(req) === appUser
}

/** Whether `passport.authenticate('mfa')` has succeeded in this request. */
export function hadSecondStep(req: IncomingMessage): boolean {
  return renewed.has(req)
}
