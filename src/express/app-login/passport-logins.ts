import { responseOf } from '../framework/express-response.ts'
import type { HttpRequest } from '../framework/http-request.ts'
import type { FrameworkRequest } from '../framework/request.ts'
import { contextOf } from '../request/context.ts'
import { forgetWithLogin } from '../session/forget.ts'
import { warnOfLaterUser } from '../setup-checks/later-user.ts'
import { endWithLogin } from './login-ends.ts'
import { isRenewedLogin } from '../request/second-step-logins.ts'

/** `req.logIn` or `req.logOut` of Passport. */
type Method = (this: HttpRequest, ...args: unknown[]) => unknown

/** One wrapper per function of Passport, not per request. */
const wrappers = new WeakMap<Method, Method>()
const ownWrappers = new WeakSet<Method>()

/**
 * Makes Passport's `req.logIn()` and `req.logOut()` end the second step of this web session. With `keepSessionInfo` Passport
 * itself would carry it over to the next user.
 */
export function wrapPassport(req: HttpRequest): void {
  const methods = req as Partial<Record<string, Method>> & HttpRequest
  wrap(methods, 'logIn', wrapLogIn)
  wrap(methods, 'login', wrapLogIn)
  wrap(methods, 'logOut', wrapLogOut)
  wrap(methods, 'logout', wrapLogOut)
}

function wrap(methods: Partial<Record<string, Method>>, name: string, wrapper: (method: Method) => Method): void {
  const method = methods[name]
  if (typeof method !== 'function' || ownWrappers.has(method)) return
  let wrapped = wrappers.get(method)
  if (!wrapped) {
    wrapped = wrapper(method)
    ownWrappers.add(wrapped)
    wrappers.set(method, wrapped)
  }
  methods[name] = wrapped
}

function wrapLogIn(logIn: Method): Method {
  return function logInAfterMfa(user, ...rest) {
    const context = contextOf(this)
    const req = this as FrameworkRequest
    if (context) warnOfLaterUser(req, responseOf(req), context)
    // With `session: false` the web session keeps its user.
    if (!isWithoutSession(rest[0]) && !isRenewedLogin(this, user)) {
      // Passport does not wait; a failure is logged.
      if (context) void endWithLogin(this, context.mfa)
      forgetWithLogin(this)
    }
    return logIn.call(this, user, ...rest)
  }
}

function wrapLogOut(logOut: Method): Method {
  return function logOutAfterMfa(...args) {
    const context = contextOf(this)
    // Passport does not wait; a failure is logged.
    if (context) void endWithLogin(this, context.mfa)
    forgetWithLogin(this)
    return logOut.apply(this, args)
  }
}

function isWithoutSession(options: unknown): boolean {
  return typeof options === 'object' && options !== null && 'session' in options && options.session === false
}
