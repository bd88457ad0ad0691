import type { Request } from 'express'
import { Strategy } from 'passport-strategy'

import type { MfaUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import { resolveAppUser } from '../express/app-user.ts'
import type { RequestContext } from '../express/context.ts'
import { contextOf, verifiedOf } from '../express/context.ts'
import { openChallenge } from '../express/demand.ts'
import { isNavigation } from '../express/navigation.ts'
import { askedFor, safeReturnTo } from '../express/return-to.ts'
import { onRegenerate, putKept, readKept } from '../express/web-session.ts'

/** The options of passport.authenticate() that matter here. */
interface AuthenticateOptions {
  readonly session?: boolean
  readonly successRedirect?: string
  readonly successReturnToOrRedirect?: string
  readonly failureRedirect?: string
}

/**
 * `passport.authenticate('mfa')`, after another strategy has signed somebody in. Sends the person to the challenge, and
 * succeeds once it is passed, with `req.authInfo.mfa` saying when and how.
 *
 * It stands on `app.use(mfa())`, which serves the challenge; without it every request is an error that says so.
 *
 * @example
 * passport.use(new MfaStrategy())
 * app.post('/login', passport.authenticate('local'), passport.authenticate('mfa', { successRedirect: '/' }))
 */
export class MfaStrategy extends Strategy {
  readonly name = 'mfa'

  override authenticate(req: Request, options: AuthenticateOptions = {}): void {
    this.decide(req, options).catch((error: unknown) => this.error(error as Error))
  }

  private async decide(req: Request, options: AuthenticateOptions): Promise<void> {
    const context = contextOf(req)
    if (!context) throw new Error("passport.authenticate('mfa') needs app.use(mfa()) before it")
    const user = await resolveAppUser(req, context.mfa.options)
    if (!user || !req.user) return this.fail({ message: 'Sign in first.' }, 401)
    const verified = verifiedOf(req, context, user)
    if (!verified && (await isNeeded(req, context, user))) {
      if (!isNavigation(req)) return this.fail({ message: 'Pass the second step first.' }, 403)
      await openChallenge(req, context, {
        userKey: userKeyOf(user),
        purpose: 'sign_in',
        ...waysOn(req, context, options),
      })
      return this.redirect(context.base, 303)
    }
    // Passport changes the web session's id now, and what was in it is lost.
    if (options.session !== false) carryOver(req)
    this.success(req.user, verified ? { mfa: { at: verified.at, factor: verified.factor } } : {})
  }
}

async function isNeeded(req: Request, { mfa: { options } }: RequestContext, user: MfaUser): Promise<boolean> {
  return options.required === undefined || (await options.required(req, user))
}

/** A page is come back to, so that Passport's success runs there; a posted login cannot be posted again. */
function waysOn(req: Request, context: RequestContext, options: AuthenticateOptions) {
  const { base } = context
  const after =
    req.method === 'GET'
      ? askedFor(req, context)
      : (safeReturnTo(options.successRedirect, base) ?? safeReturnTo(options.successReturnToOrRedirect, base))
  return { returnTo: after ?? `${context.prefix}/`, giveUpTo: safeReturnTo(options.failureRedirect, base) }
}

/** The marker goes over to the new id, bound to its user as before. */
function carryOver(req: Request): void {
  const { verified } = readKept(req)
  if (verified) onRegenerate(req, () => putKept(req, { verified }))
}
