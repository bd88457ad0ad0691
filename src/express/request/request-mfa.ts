import type { Request, Response } from 'express'

import type { Verified } from '../../challenge/challenge.ts'
import type { RequestContext } from './context.ts'
import { contextOf, verifiedOf } from './context.ts'
import { forgetMfa } from '../session/forget.ts'
import type { Need } from './need.ts'
import { readNeed } from './need.ts'
import { isRemembered } from '../sign-in/remembered.ts'
import { stepUp } from '../require-mfa.ts'
import { withdrawShownCode } from '../app-login/withdraw-shown-code.ts'
import { safeReturnTo } from './return-to.ts'

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

export function createRequestMfa(req: Request, res: Response, context: RequestContext): RequestMfa {
  return Object.freeze({
    get verified() {
      const current = contextOf(req) ?? context
      return verifiedOf(req, current, current.user)
    },
    get remembered() {
      return isRemembered(req, contextOf(req) ?? context)
    },
    async challenge({ returnTo, ...need } = {}) {
      if (!context.user) throw new Error('req.mfa.challenge(): nobody is signed in')
      const wanted = readNeed('req.mfa.challenge', need)
      await stepUp(req, res, context, context.user, { ...wanted, returnTo: safeReturnTo(returnTo, context.base) })
    },
    async forget() {
      await withdrawShownCode(req, context.mfa)
      await forgetMfa(req)
    },
  } satisfies RequestMfa)
}

/**
 * What was verified, for handlers that must not run otherwise.
 *
 * @returns when and how the second step was passed.
 * @throws {Error} when it was not: the route lacks mfa() or requireMfa() before it.
 */
export function verifiedMfa(req: Request): Verified {
  const context = contextOf(req)
  const verified = context && verifiedOf(req, context, context.user)
  if (!verified) throw new Error('verifiedMfa(): the second step was not passed; put requireMfa() before this handler')
  return verified
}
