import type { NextFunction, Request, Response } from 'express'

import type { Verified } from '../challenge/challenge.ts'
import { acceptPasskeyLogin, startPasskeyLogin, verifyPasskeyLogin } from './app-login/passkey-login.ts'
import type { VerifiedPasskey } from './app-login/passkey-login.ts'
import { withdrawShownCode } from './app-login/withdraw-shown-code.ts'
import type { UsernamelessOptions } from '../contract/webauthn.ts'
import { serve } from './apply.ts'
import type { RequestContext } from './request/context.ts'
import { contextOf } from './request/context.ts'
import type { Need } from './request/need.ts'
import { readNeed } from './request/need.ts'
import { safeReturnTo } from './request/return-to.ts'
import { verifiedOf } from './request/verified.ts'
import { createWebRequest } from './request/web-request.ts'
import { forgetMfa } from './session/forget.ts'
import { readMfaState } from './session/web-session.ts'
import { stepUp } from './sign-in/demand.ts'
import { isRemembered } from './sign-in/remembered.ts'

/** What mfa() adds to each request. */
export interface RequestMfa {
  /** When and how the second step was passed; undefined when it was not. */
  readonly verified: Verified | undefined
  /** Whether a remembered browser passed the gate without a second step; `requireMfa()` takes no notice of it. */
  readonly remembered: boolean
  /**
   * Asks for the second step from inside a handler, and answers the request: pages go to the challenge and come back to
   * `returnTo` (by default here), everything else gets 403. What was posted is not posted again.
   *
   * @example
   * if (amount > 1000 && !recent(req.mfa.verified)) return req.mfa.challenge({ maxAge: 300 })
   */
  challenge(options?: Need & { readonly returnTo?: string }): Promise<void>
  /**
   * For a login page of your own that signs users in with their passkey, without a username. Returns the options for
   * `navigator.credentials.get()`, and sets a cookie that binds them to this browser for 5 minutes.
   *
   * @throws {SetupError} where browsers accept no passkeys, or the service speaks only 1.3.
   */
  passkeyOptions(): Promise<UsernamelessOptions>
  /**
   * Has the service verify what the browser answered, once, with user verification. Sign this user in, then call
   * `acceptPasskey()` in the same request.
   *
   * @param response What `navigator.credentials.get()` returned, as JSON.
   * @returns whose passkey it is; undefined for a wrong answer.
   */
  verifyPasskey(response: unknown): Promise<VerifiedPasskey | undefined>
  /**
   * Verifies the web session of the user who has just been signed in: the passkey was both steps.
   *
   * @returns when and how the second step was passed; undefined if the passkey does not count (any more).
   * @throws {Error} if the passkey belongs to another user than the one who is signed in.
   */
  acceptPasskey(passkey: VerifiedPasskey): Promise<Verified | undefined>
  /**
   * Ends the second step of this web session, and stores that: for an app that signs people out without Passport. Where
   * `mfa()` has not run yet, `forgetMfa(req)` does the same.
   */
  forget(): Promise<void>
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- how Express is extended
  namespace Express {
    interface Request {
      mfa?: RequestMfa
    }
  }
}

interface Answering {
  readonly req: Request
  readonly res: Response
  readonly next: NextFunction
  readonly context: RequestContext
}

/** A class, because a new object with four functions for each request would cost more than the rest of the gate. */
class RequestMfaOf implements RequestMfa {
  readonly #of: Answering

  constructor(of: Answering) {
    this.#of = of
  }

  get verified(): Verified | undefined {
    const { req, context } = this.#of
    const current = contextOf(req) ?? context
    return verifiedOf(readMfaState(req), current, current.user)
  }

  get remembered(): boolean {
    const { req, context } = this.#of
    return isRemembered(readMfaState(req), contextOf(req) ?? context)
  }

  async challenge({ returnTo, ...need }: Need & { readonly returnTo?: string } = {}): Promise<void> {
    const { req, res, next, context } = this.#of
    if (!context.user) throw new Error('req.mfa.challenge(): no user is signed in')
    const wanted = readNeed('req.mfa.challenge', need)
    const request = createWebRequest(req, context, context.user)
    const demanded = { ...wanted, returnTo: safeReturnTo(returnTo, context.base) }
    await serve(request, res, next, () => stepUp(request, demanded))
  }

  async passkeyOptions(): Promise<UsernamelessOptions> {
    return startPasskeyLogin(this.#of)
  }

  async verifyPasskey(response: unknown): Promise<VerifiedPasskey | undefined> {
    return verifyPasskeyLogin(this.#of, response)
  }

  async acceptPasskey(passkey: VerifiedPasskey): Promise<Verified | undefined> {
    return acceptPasskeyLogin(this.#of, passkey)
  }

  async forget(): Promise<void> {
    const { req, context } = this.#of
    await withdrawShownCode(req, context.mfa)
    await forgetMfa(req)
  }

  /** Getters of a class are not enumerable; apps send `req.mfa` to their pages. */
  toJSON(): Pick<RequestMfa, 'verified' | 'remembered'> {
    return { verified: this.verified, remembered: this.remembered }
  }
}

export const createRequestMfa = (of: Answering): RequestMfa => new RequestMfaOf(of)

/**
 * What was verified, for handlers that must not run otherwise.
 *
 * @returns when and how the second step was passed.
 * @throws {Error} when it was not: the route lacks mfa() or requireMfa() before it.
 */
export function verifiedMfa(req: Request): Verified {
  const context = contextOf(req)
  const verified = context && verifiedOf(readMfaState(req), context, context.user)
  if (!verified) throw new Error('verifiedMfa(): the second step was not passed; put requireMfa() before this handler')
  return verified
}
