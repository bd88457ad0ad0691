import type { Verified } from '../challenge/challenge.ts'
import type { ApprovalToAsk } from './approve.ts'
import type { GrantedApproval } from './request/granted-approval.ts'
import { grantedOf } from './request/granted-approval.ts'
import { acceptPasskeyLogin, startPasskeyLogin, verifyPasskeyLogin } from './passkey-login.ts'
import type { Login, VerifiedPasskey } from './passkey-login.ts'
import { endWithLogin } from './app-login/login-ends.ts'
import type { UsernamelessOptions } from '../contract/webauthn.ts'
import { serve } from './apply.ts'
import { responseOf } from './framework/express-response.ts'
import type { FrameworkRequest } from './framework/request.ts'
import { contextOf } from './request/context.ts'
import type { Need } from './request/need.ts'
import { readNeed } from './request/need.ts'
import { safeReturnAddress } from './request/return-to.ts'
import { verifiedOf } from './request/verified.ts'
import type { BearerToken } from './request/verified-token.ts'
import { verifiedTokenOf } from './request/verified-token.ts'
import { createWebRequest } from './request/web-request.ts'
import { forgetMfa } from './session/forget.ts'
import { readMfaState } from './session/session-state.ts'
import { stepUp } from './sign-in/demand.ts'
import { isRemembered } from './sign-in/remembered.ts'

/** The members that mfa() adds to each request. */
export interface RequestMfa {
  /** When and how the second step was passed; undefined when it was not. */
  readonly verified: Verified | undefined
  /** Whether a remembered browser passed the gate without a second step; `requireMfa()` takes no notice of it. */
  readonly remembered: boolean
  /** The approval that this request uses up, behind `requireApproval()`; its `id` is the idempotency key of the action. */
  readonly approval: GrantedApproval | undefined
  /**
   * The access token that was verified, behind `requireMfa({ bearer })`; undefined on other routes. Without `mfa()`, this is the only member that
   * works, and `verified` is undefined.
   */
  readonly bearer: BearerToken | undefined
  /**
   * Has the user approve an action from inside a handler, where `requireApproval()` cannot compare the request: uploads, streams, GraphQL.
   * Resolves once for each approval; the same call made again by the repeated request finds it.
   *
   * @param action What the user sees, and `bind`: everything that the action depends on, as plain data, such as a digest of the upload.
   * The approval counts only for the same `bind`, title, details, user and browser.
   * @throws {ApprovalRequiredError} while it is not approved: send `error.body` with status 403, or redirect to `error.approval.page`;
   * {MfaRequiredError} where the second step was not passed; {TypeError} for an action that cannot be shown; {Error} with status 503
   * while the service does not answer, or the web session is not stored.
   *
   * @example
   * const { id } = await req.mfa.approve({ title: `Deploy ${version}`, bind: { version, digest } })
   */
  approve(action: ApprovalToAsk): Promise<GrantedApproval>
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
   * @returns when and how the second step was passed; undefined if the passkey does not count (anymore).
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

/** A class, because a new object with functions of its own would cost more than the rest of the gate. */
class RequestMfaOf implements RequestMfa {
  readonly #req: FrameworkRequest

  constructor(req: FrameworkRequest) {
    this.#req = req
  }

  get verified(): Verified | undefined {
    const context = contextOf(this.#req)
    return context && verifiedOf(readMfaState(this.#req), context)
  }

  get remembered(): boolean {
    const context = contextOf(this.#req)
    return context !== undefined && isRemembered(this.#req, readMfaState(this.#req), context)
  }

  get approval(): GrantedApproval | undefined {
    return grantedOf(this.#req)
  }

  get bearer(): BearerToken | undefined {
    return verifiedTokenOf(this.#req)?.token
  }

  async approve(action: ApprovalToAsk): Promise<GrantedApproval> {
    const { approve } = await import('./approve.ts')
    return approve(this.#login, action)
  }

  async challenge({ returnTo, ...need }: Need & { readonly returnTo?: string } = {}): Promise<void> {
    const { req, res, context } = this.#login
    if (!context.user) throw new Error('req.mfa.challenge(): no user is signed in')
    const parsedNeed = readNeed('req.mfa.challenge', need)
    const request = createWebRequest(req, context, context.user)
    const demanded = {
      ...parsedNeed,
      returnTo: safeReturnAddress(returnTo, context, context.mfa.options.returnOrigins),
    }
    await serve(request, res, neverPassed, () => stepUp(request, demanded))
  }

  async passkeyOptions(): Promise<UsernamelessOptions> {
    return startPasskeyLogin(this.#login)
  }

  async verifyPasskey(response: unknown): Promise<VerifiedPasskey | undefined> {
    return verifyPasskeyLogin(this.#login, response)
  }

  async acceptPasskey(passkey: VerifiedPasskey): Promise<Verified | undefined> {
    return acceptPasskeyLogin(this.#login, passkey)
  }

  async forget(): Promise<void> {
    const { req, context } = this.#login
    await endWithLogin(req, context.mfa)
    await forgetMfa(req)
  }

  /** Getters of a class are not enumerable; apps send `req.mfa` to their pages. */
  toJSON(): Pick<RequestMfa, 'verified' | 'remembered'> {
    return { verified: this.verified, remembered: this.remembered }
  }

  /** Read by each method, because a login within the request changes the context. */
  get #login(): Login {
    const context = contextOf(this.#req)
    if (!context) throw new Error('req.mfa: behind requireMfa({ bearer }) alone, only req.mfa.bearer is set')
    return { req: this.#req, res: responseOf(this.#req), context }
  }
}

function neverPassed(): never {
  throw new Error('A step-up always answers the request.')
}

/**
 * Adds `req.mfa`. The first handler that reads it creates the object: it refers back to the request, and most requests
 * need not pay for that, see context.ts.
 */
export function addRequestMfa(req: FrameworkRequest): void {
  Object.defineProperty(req, 'mfa', addedMember)
}

const addedMember: PropertyDescriptor & ThisType<FrameworkRequest> = {
  get() {
    const created = new RequestMfaOf(this)
    setRequestMfa(this, created)
    return created
  },
  set(value: unknown) {
    setRequestMfa(this, value)
  },
  configurable: true,
  enumerable: true,
}

const setRequestMfa = (req: FrameworkRequest, value: unknown) =>
  void Object.defineProperty(req, 'mfa', { value, configurable: true, enumerable: true, writable: true })
