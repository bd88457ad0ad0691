import type { FastifyReply, FastifyRequest } from 'fastify'

import type { AppUser, MfaUser } from '../challenge/user.ts'
import type { Maybe, OrPromise } from '../express/options/app.ts'
import type { MfaOptions as ExpressOptions } from '../express/options/mfa-options.ts'

/** The options that are called with a request. */
type WithRequest = 'user' | 'required' | 'mayEnroll' | 'failMode' | 'language' | 'logout'

/** What the plugin takes: the options of `mfa()` for Express, whose functions get the request of Fastify. */
export interface MfaOptions extends Omit<ExpressOptions, WithRequest> {
  /**
   * Returns the signed-in user as `{ username, name?, email? }`, or a falsy value when no user is signed in. It is called before the
   * body is read, and if nobody is signed in by then, once more before the handlers of the route.
   */
  user: (request: FastifyRequest) => OrPromise<Maybe<AppUser>>
  /**
   * Whether this user needs a second step: `false` if not at the gate, and `'never'` if not for `requireMfa()` either.
   * @default every user
   */
  required?: ((request: FastifyRequest, user: MfaUser) => OrPromise<boolean | 'never'>) | undefined
  /**
   * Whether this user, who has no factor, may set one up.
   * @default users who never had a factor
   */
  mayEnroll?: ((request: FastifyRequest, user: MfaUser) => OrPromise<boolean>) | undefined
  /**
   * Called when the service does not answer: if it returns `true`, this user passes the gate for 5 minutes without a second step.
   * @default no user passes
   */
  failMode?: ((request: FastifyRequest, error: Error) => OrPromise<boolean>) | undefined
  /**
   * The language of the pages, such as `en`, or a function that returns it for a request.
   * @default the language that the browser prefers
   */
  language?: string | ((request: FastifyRequest) => string | undefined) | undefined
  /**
   * Signs the user out when they press "Sign out" on the pages of `mfa`, after it has ended the second step. It may answer; if it
   * returns a promise and does not answer, or takes `request` alone, `mfa` redirects to `/`.
   * @default the route at `logoutPath`
   */
  logout?: ((request: FastifyRequest, reply: FastifyReply) => unknown) | undefined
}
