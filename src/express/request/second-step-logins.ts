import type { HttpRequest } from '../framework/http-request.ts'

const renewed = new WeakMap<HttpRequest, unknown>()

/** The second step does not change the user: the login that Passport runs next for this user keeps the MFA state. */
export function markRenewedLogin(req: HttpRequest, appUser: unknown): void {
  renewed.set(req, appUser)
}

export function isRenewedLogin(req: HttpRequest, appUser: unknown): boolean {
  return renewed.has(req) && renewed.get(req) === appUser
}

/** Whether `passport.authenticate('mfa')` has succeeded in this request. */
export function hadSecondStep(req: HttpRequest): boolean {
  return renewed.has(req)
}
