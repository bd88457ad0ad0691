import type { ChallengeStore } from '../../challenge/challenge-store.ts'
import type { AppUser, MfaUser } from '../../challenge/user.ts'
import type { Clock } from '../../ground/clock.ts'
import type { VendorOptions } from '../../contract/media-type.ts'
import type { UnknownBrowser } from '../../contract/browser-key.ts'
import type { PhishingResistance } from '../../contract/phishing-resistance.ts'
import type { Factor } from '../../contract/factor.ts'
import type { ServiceHandle } from '../../service-handle.ts'
import type { MfaEvent } from './mfa-event.ts'
import type { LanguageChoice } from './languages.ts'
import type { MessagesByLanguage } from '../messages/replace.ts'
import type { AppRequest, Logger, Logout, Maybe, OrPromise } from './app.ts'

/** What `mfa()` takes. */
export interface MfaOptions {
  /**
   * The service that stores the users and their factors: `embedded({ database })`, or the address of a separate
   * service.
   * @default the service that `MFA_BASE_URL`, `MFA_API_KEY` and `MFA_DOMAIN_ID` name, and `MFA_AUTHENTICATOR_URL` as
   * its `authenticatorUrl`
   */
  service?: RemoteService | ServiceHandle | undefined
  /**
   * Returns the signed-in user as `{ username, name?, email? }`, or a falsy value when no user is signed in.
   * @default `req.user`, as Passport leaves it, by its `username`
   */
  user?: ((req: AppRequest) => OrPromise<Maybe<AppUser>>) | undefined
  /**
   * Whether this user needs a second step, for groups of users: `false` if not at the gate, and `'never'` if not for `requireMfa()`
   * either. `verifiedMfa()` and `isVerified()` never exempt anybody.
   * @default every user
   */
  required?: ((req: AppRequest, user: MfaUser) => OrPromise<boolean | 'never'>) | undefined
  /**
   * Whether every later route requires the second step. With `false`, only routes with `requireMfa()` do.
   * @default `true`
   */
  gate?: boolean | undefined
  /**
   * Whether users can set up their first factor themselves when they sign in. Until they have, the password alone is
   * enough to do so. With `false`, users need an activation code from an administrator.
   * @default `true`
   */
  selfEnrollment?: boolean | undefined
  /**
   * Whether this user, who has no factor, may set one up. It is called each time, and never with `selfEnrollment:
   * false`.
   * @default users who never had a factor; no user with a service that speaks only version 1.3
   */
  mayEnroll?: ((req: AppRequest, user: MfaUser) => OrPromise<boolean>) | undefined
  /**
   * Asks your own store for the second factor that a user has there: `{ otpauth, recovery? }`, the `otpauth://` address of an
   * authenticator app and unused recovery codes, or nothing. It is called for users who never had a factor here, each time, and
   * has 3 seconds. The first correct code of the app stores both, and emits `factors.imported`; until then, the user cannot set
   * up anything else. If it fails, the user gets 503. See [moving](mfa.md#moving-from-another-second-factor).
   * @default no factors
   */
  importFactors?: ((user: MfaUser) => OrPromise<Maybe<BroughtFactors>>) | undefined
  /**
   * Redeems each approval once across all processes of the app. Needed only with several processes and a service that
   * speaks only version 1.3.
   * @default the memory of this process
   */
  challengeStore?: ChallengeStore | undefined
  /**
   * Whether the service's user is created when an app user first signs in.
   * @default `false`
   */
  provision?: boolean | undefined
  /**
   * What `provision` does with a name that differs from an existing one only in case, accents, spaces or invisible
   * characters. `'distinct'` rejects it: in most apps both names are one account, and the second name would be a new
   * user who can set up a first factor with only the password. `'exact'` is for apps in which they are different users.
   * @default `'distinct'`
   */
  usernames?: 'distinct' | 'exact' | undefined
  /**
   * Whether users who have just set up a first factor are offered recovery codes once, if the domain allows them.
   * @default `true`
   */
  recoveryCodes?: boolean | undefined
  /**
   * Lets users have their browser remembered: it then passes the gate without a second step, until the user changes a
   * factor or forgets all browsers. An attacker who copies its cookie passes as well. `requireMfa()` still requires a
   * second step.
   * @default `false`
   */
  remember?: false | RememberOptions | undefined
  /** What confirms a change on `/mfa/devices`: always a second step for that change. */
  devices?: DevicesOptions | undefined
  /**
   * The path of the challenge pages.
   * @default `'/mfa'`
   */
  path?: string | undefined
  /**
   * The exact path of the app's logout route, such as `/logout`, with the path that the app is mounted at, if any: `/app/logout`.
   * Users who have not passed the second step can reach it.
   * @default none
   */
  logoutPath?: string | undefined
  /**
   * The method of the route at `logoutPath`.
   * @default `'POST'`
   */
  logoutMethod?: 'POST' | 'GET' | undefined
  /**
   * Signs the user out when they press "Sign out" on the pages of `mfa()`, after `mfa()` has ended the second step.
   * Accepts your logout handler unchanged, `(req, res, next)`. A function that takes only `req` can return a promise;
   * `mfa()` then redirects to `/`.
   * @default the route at `logoutPath`
   */
  logout?: Logout | undefined
  /**
   * Paths that the gate does not protect on purpose, each exact, or ending in `/*` for everything below it: routes
   * before `mfa()`, which then cause no warning, and routes after it for users who have not passed yet, such as your
   * own form for codes. `requireMfa()` still protects them. Include the path that the app is mounted at, if any.
   * @default `[]`
   */
  public?: string[] | undefined
  /**
   * The name of the app on pages and devices, at most 64 characters.
   * @default the host of `publicUrl`, otherwise `'My app'`
   */
  appName?: string | undefined
  /**
   * The path of an image on the app's own origin, shown beside the name and in the browser's tab. Serve it before `mfa()`.
   * @default the first letter of the name
   */
  logo?: string | undefined
  /**
   * The color of buttons and links, such as `#2450c8`: one, or one for light and one for dark pages.
   * @default blue
   */
  accent?: string | { light: string; dark: string } | undefined
  /**
   * A help page for users who cannot use their device: an https address, or a path that is served before `mfa()`.
   * @default none
   */
  helpUrl?: string | undefined
  /**
   * Where users change their password, offered after a request was denied or reported: an https address, or a path that
   * is served before `mfa()`.
   * @default none
   */
  passwordUrl?: string | undefined
  /**
   * Returns the place of an IP address, such as `'Lyon, France'`, from your own data. The device shows it with a request.
   * A look-up that takes longer than 500 ms is ignored.
   * @default no place
   */
  locate?: ((address: string) => OrPromise<Maybe<string>>) | undefined
  /**
   * A view of your app's own view engine, by the name that `res.render()` takes. It gets a `ChallengeView` and replaces
   * the frame of every page of `mfa()`.
   * @default the pages of `mfa()`
   */
  views?: { challenge: string } | undefined
  /**
   * Texts of the pages by language, which replace ours or add a language.
   * @default English, German, French, Spanish, Portuguese, Japanese and Arabic
   */
  messages?: MessagesByLanguage | undefined
  /**
   * The language of the pages, such as `en`, or a function that returns it for a request.
   * @default the language that the browser prefers
   */
  language?: LanguageChoice | undefined
  /**
   * The app's address as browsers see it, including a path prefix that a proxy removes, and no path at which your code mounts
   * the app. Required in production, because a client can forge the Host header.
   * @default `http://` and the Host header of the request
   */
  publicUrl?: string | undefined
  /**
   * The origins of pages elsewhere that use this app as their API, such as `https://spa.example`: users may return there from the
   * challenge. Write each exactly, and list it in your CORS settings as well.
   * @default `[]`
   */
  returnOrigins?: string[] | undefined
  /**
   * The authenticator's address on the user's phone, if it has its own origin; an origin is enough. Required if the
   * service has a loopback address, and https in production.
   * @default below `path`, or below the service's address
   */
  authenticatorUrl?: string | undefined
  /**
   * Whether users type a two-digit number on their device (NIST SP 800-63B-4 section 3.1.3).
   * @default `true`
   */
  numberMatching?: boolean | undefined
  /**
   * What passkeys are bound to, where it differs from the host of `publicUrl`; `false` turns passkeys off.
   * @default the host of `publicUrl`; no passkeys if that is an IP address or plain http
   */
  passkeys?: false | PasskeysOptions | undefined
  /**
   * The factors that the app accepts. Weak ones, such as `'email'`, have to be listed explicitly.
   * @default `['passkey', 'push', 'otp', 'bypass']`
   */
  factors?: Factor[] | undefined
  /**
   * Whether only passkeys count, which a phishing page cannot pass on: `'require'` for everyone, `'prefer'` for users who
   * have one for this app. The stricter of this and the policy of the domain applies, and the service enforces it. Needs a
   * service that speaks 1.4, and an address where browsers accept passkeys.
   * @default `'off'`
   */
  phishingResistant?: PhishingResistance | undefined
  /**
   * What users can do from a browser that they do not keep, and so from a relay. `'number'`: everything, and the device warns
   * "New browser"; `'passkey'`: nothing but a passkey counts; `'deny'`: the same, and not even a code that an administrator
   * hands over leads to a passkey. The service enforces it. Kept browsers resist relays; only passkeys resist phishing.
   * @default `'number'`
   */
  unknownBrowser?: UnknownBrowser | undefined
  /**
   * The time limit of one call to the service after it was sent, in milliseconds.
   * @default `5000`
   */
  timeout?: number | undefined
  /**
   * The number of concurrent calls to the service. Further calls wait in a queue for up to `timeout`.
   * @default `64`
   */
  maxConcurrency?: number | undefined
  /**
   * How long verified web sessions continue while the service cannot be asked whether they were ended, in seconds. With
   * `0` they end immediately.
   * @default `900`
   */
  maxUnchecked?: number | undefined
  /**
   * Called when the service does not answer: if it returns `true`, this user passes the gate for 5 minutes without a
   * second step. An attacker who can take down the service then needs no second step either. Such users are never
   * verified, and `requireMfa()` still rejects them.
   * @default no user passes
   */
  failMode?: ((req: AppRequest, error: Error) => OrPromise<boolean>) | undefined
  /**
   * Called with each event, such as `challenge.passed`. Events contain ids and never secrets.
   * @default none
   */
  onEvent?: ((event: MfaEvent) => void) | undefined
  /**
   * Receives errors and warnings.
   * @default the console
   */
  logger?: Logger | undefined
  /**
   * Shows developers at `<path>/debug`, normally `/mfa/debug`, what `mfa()` decided about the last requests of their
   * web session, and why. In production it is an error.
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
  /** The vendor words in headers, if they differ from this package's defaults. */
  vendor?: VendorOptions | undefined
  /**
   * The version of the interface. `'auto'` requests 1.4, and uses 1.3 if the service does not support 1.4.
   * @default `'auto'`
   */
  version?: 'auto' | '1.3' | '1.4' | undefined
}

/** The relying party of passkeys (WebAuthn). */
export interface PasskeysOptions {
  /**
   * The domain name that passkeys are bound to: the app's host, or a domain above it. Passkeys that exist stop working
   * when it changes.
   * @default the host of `publicUrl`
   */
  rpId?: string | undefined
  /**
   * The name in the dialogs of browsers, at most 64 characters.
   * @default the option `appName`
   */
  rpName?: string | undefined
  /**
   * All origins that use these passkeys, at most 20. With origins at other names, `mfa()` serves
   * `/.well-known/webauthn` for browsers to check, which only works on port 443.
   * @default the origin of `publicUrl`
   */
  origins?: string[] | undefined
}

/** What your own store has of a user's second factor. */
export interface BroughtFactors {
  /** The address of the QR code that the user has scanned: `otpauth://totp/…?secret=…`, with the algorithm, digits and period. */
  otpauth: string
  /**
   * At most 20 unused recovery codes: each as the user has it, or its unsalted hash in hexadecimal.
   * @default none
   */
  recovery?: readonly (string | { sha256: string } | { sha512: string })[] | null | undefined
}

/** How browsers are remembered. */
export interface RememberOptions {
  /** How long a browser is remembered, in days; at most 90. */
  days: number
}

/** What confirms a change of factors. */
export interface DevicesOptions {
  /**
   * The factors that confirm a change. Weak ones, such as e-mail, can only add a first factor.
   * @default the option `factors` of `mfa()`
   */
  factors?: Factor[] | undefined
  /**
   * The maximum age of the confirmation, in seconds; at most 600.
   * @default `600`
   */
  maxAge?: number | undefined
}
