import type { ChallengeStore } from '../challenge/challenge-store.ts'
import type { AppUser, MfaUser } from '../challenge/user.ts'
import type { Clock } from '../clock.ts'
import type { VendorOptions } from '../contract/media-type.ts'
import type { Factor } from '../contract/users.ts'
import type { ServiceHandle } from '../service-handle.ts'
import type { MfaEvent } from './request/events.ts'
import type { LanguageChoice } from './pages/languages.ts'
import type { MessagesByLanguage } from './pages/messages/replace.ts'
import type { AppRequest, Logger, Logout } from './options.ts'

/** What `mfa()` takes. */
export interface MfaOptions {
  /**
   * The service that keeps the users and their factors: `embedded({ database })`, or the address of one that runs elsewhere.
   * @default the service that `MFA_BASE_URL`, `MFA_API_KEY` and `MFA_DOMAIN_ID` name, and `MFA_AUTHENTICATOR_URL` as its
   * `authenticatorUrl`
   */
  service?: RemoteService | ServiceHandle | undefined
  /**
   * Returns the user who is signed in, as `{ username, name?, email? }`, and a falsy value when nobody is.
   * @default `req.user`, as Passport leaves it, by its `username`
   */
  user?: ((req: AppRequest) => OrPromise<Maybe<AppUser>>) | undefined
  /**
   * Whether this user needs a second step, for a staged rollout.
   * @default every user
   */
  required?: ((req: AppRequest, user: MfaUser) => OrPromise<boolean>) | undefined
  /**
   * Whether every later route asks for the second step. With `false`, only routes with `requireMfa()` do.
   * @default `true`
   */
  gate?: boolean | undefined
  /**
   * Whether users set up their first factor by themselves when they sign in. Until then the password alone is enough for
   * that. With `false`, users need an activation code from an administrator.
   * @default `true`
   */
  selfEnrollment?: boolean | undefined
  /**
   * Whether this user, who has no factor, may set one up by themselves. It is asked each time, and never with
   * `selfEnrollment: false`.
   * @default users who never had a factor; with a service that speaks version 1.3 only, nobody
   */
  mayEnroll?: ((req: AppRequest, user: MfaUser) => OrPromise<boolean>) | undefined
  /**
   * Redeems each approval once over all processes of the app. Needed only with a service that speaks version 1.3 only, and
   * several processes.
   * @default the memory of this process
   */
  challengeStore?: ChallengeStore | undefined
  /**
   * Whether the service's user is created when an app user first signs in.
   * @default `false`
   */
  provision?: boolean | undefined
  /**
   * What `provision` does with a name that differs from a known one only in case, accents, spaces or invisible characters.
   * `'distinct'` refuses it: most apps find one account by both names, and the second name would be a new user who may set
   * up a first factor with the password alone. `'exact'` is for apps in which the two are different people.
   * @default `'distinct'`
   */
  usernames?: 'distinct' | 'exact' | undefined
  /**
   * Whether users who have just set up a first factor are asked once whether they want recovery codes, where the domain
   * allows them.
   * @default `true`
   */
  recoveryCodes?: boolean | undefined
  /**
   * Lets users have their browser remembered: it then passes the gate without a second step, until the user changes a
   * factor or forgets all browsers. So does everybody who copies its cookie. `requireMfa()` asks all the same.
   * @default `false`
   */
  remember?: false | RememberOptions | undefined
  /** What confirms a change on `/mfa/devices`: always a second step that was passed for that change. */
  devices?: DevicesOptions | undefined
  /**
   * The path of the challenge pages.
   * @default `'/mfa'`
   */
  path?: string | undefined
  /**
   * The path of the app's own sign-out, exactly as its routes see it. Users who have not passed the second step may call it.
   * @default none
   */
  logoutPath?: string | undefined
  /**
   * The method that the route at `logoutPath` is called with.
   * @default `'POST'`
   */
  logoutMethod?: 'POST' | 'GET' | undefined
  /**
   * Signs the user out when they press "Sign out" on the pages of `mfa()`, which has ended the second step before. Takes your
   * logout handler as it is, `(req, res, next)`. A function of `req` alone may return a promise; the user then goes to `/`.
   * @default the route at `logoutPath`
   */
  logout?: Logout | undefined
  /**
   * Paths that the gate leaves open on purpose, each exact or with `/*` at its end for all below it: routes before `mfa()` that
   * users need while they are signed out, which are then not warned about, and routes behind it for users who have not
   * passed yet, such as a form for codes of your own. `requireMfa()` still refuses them.
   * @default `[]`
   */
  public?: string[] | undefined
  /**
   * The name of the app on the pages, at most 64 characters.
   * @default `'Sign-in'`
   */
  appName?: string | undefined
  /**
   * The path of a picture on the app's own origin, shown beside the name. Serve it before `mfa()`.
   * @default the first letter of the name
   */
  logo?: string | undefined
  /**
   * The color of buttons and links, such as `#2450c8`: one, or one for light and one for dark pages.
   * @default blue
   */
  accent?: string | { light: string; dark: string } | undefined
  /**
   * Where users find help who cannot use their device: an https address, or a path that is served before `mfa()`.
   * @default none
   */
  helpUrl?: string | undefined
  /**
   * Texts of the pages by language, which replace ours or add a language.
   * @default English and Arabic
   */
  messages?: MessagesByLanguage | undefined
  /**
   * The language of the pages, such as `en`, or a function that returns it for a request.
   * @default the language that the browser prefers
   */
  language?: LanguageChoice | undefined
  /**
   * The app's address as browsers see it, with the path where a proxy in front takes one off. Required in production,
   * because links must not follow a forged Host header.
   * @default `http://` and the Host header of the request
   */
  publicUrl?: string | undefined
  /**
   * The authenticator's address as users open it on their phone, where it has an origin of its own; an origin is enough. It is
   * required where the service's address is a loopback one, and https in production.
   * @default below `path`, or below the service's address
   */
  authenticatorUrl?: string | undefined
  /**
   * Whether users type a two-digit number on their device (NIST SP 800-63B-4 section 3.1.3).
   * @default `true`
   */
  numberMatching?: boolean | undefined
  /**
   * The factors that the app accepts. `'email'` is the weakest and has to be named.
   * @default `['push', 'otp', 'bypass']`
   */
  factors?: Factor[] | undefined
  /**
   * How long one call to the service may take once it is sent, milliseconds.
   * @default `5000`
   */
  timeout?: number | undefined
  /**
   * The number of calls to the service that may be under way at once. Further ones queue for up to `timeout` before they
   * are sent.
   * @default `64`
   */
  maxConcurrency?: number | undefined
  /**
   * How long verified web sessions go on while the service cannot be asked whether they were ended, seconds. With `0` they
   * end as soon as it cannot be asked.
   * @default `900`
   */
  maxUnchecked?: number | undefined
  /**
   * Asked when the service does not answer: with `true` this user passes the gate for 5 minutes without a second step.
   * Attackers who can take the service down then need none either. Such users are never verified, and `requireMfa()`
   * still refuses them.
   * @default nobody passes
   */
  failMode?: ((req: AppRequest, error: Error) => OrPromise<boolean>) | undefined
  /**
   * Called with each event, such as `challenge.passed`. Events carry ids and never secrets.
   * @default none
   */
  onEvent?: ((event: MfaEvent) => void) | undefined
  /**
   * Where errors and warnings go.
   * @default the console
   */
  logger?: Logger | undefined
  /**
   * Shows developers at `<path>/debug`, normally `/mfa/debug`, what was decided about the last requests of their web session, and
   * why. For development only: in production it is an error.
   * @default `false`
   */
  debug?: boolean | undefined
  /**
   * The clock, which tests replace.
   * @default the clock of the machine
   */
  clock?: Clock | undefined
  /**
   * The source of random bytes, which tests replace.
   * @default `randomBytes` of `node:crypto`
   */
  random?: ((size: number) => Uint8Array) | undefined
}

/** A service that runs elsewhere. */
export interface RemoteService {
  /** The address with the API prefix, such as `https://mfa.example/api`. */
  baseUrl: string
  /** The organization's API key. */
  apiKey: string
  /** The id of the domain that the app's users belong to. */
  domainId: string
  /** The words of the wire, where they are not this package's own. */
  vendor?: VendorOptions | undefined
  /**
   * The version of the interface. `'auto'` asks for 1.4 and uses 1.3 where the service speaks nothing newer.
   * @default `'auto'`
   */
  version?: 'auto' | '1.3' | '1.4' | undefined
}

/** How browsers are remembered. */
export interface RememberOptions {
  /** How long a browser is remembered, days; 90 at most. */
  days: number
}

/** What confirms a change of factors. */
export interface DevicesOptions {
  /**
   * The factors that confirm a change. E-mail adds a first factor only.
   * @default the option `factors` of `mfa()`
   */
  factors?: Factor[] | undefined
  /**
   * How long ago the change may have been confirmed, seconds; 600 at most.
   * @default `600`
   */
  maxAge?: number | undefined
}

type Maybe<T> = T | null | undefined | false
type OrPromise<T> = T | Promise<T>
