import { randomBytes } from 'node:crypto'

import type { NextFunction, Request, Response } from 'express'
import { z } from 'zod'

import type { ChallengeStore } from '../challenge/challenge-store.ts'
import { longestVerified } from '../challenge/challenge.ts'
import type { AppUser, MfaUser } from '../challenge/user.ts'
import type { Clock } from '../clock.ts'
import { systemClock } from '../clock.ts'
import { longestRemembered } from '../contract/browsers.ts'
import { Vendor } from '../contract/media-type.ts'
import { Factor } from '../contract/users.ts'
import { parseOptions } from '../contract/validate.ts'
import type { Connection, ServiceHandle } from '../service-handle.ts'
import { checkAuthenticatorUrl } from './authenticator-url.ts'
import type { MfaEvent } from './events.ts'
import type { Accent } from './pages/accent.ts'
import { resolveAccent } from './pages/accent.ts'
import { createLanguages } from './pages/languages.ts'
import type { LanguageChoice, Languages } from './pages/languages.ts'
import type { MessagesByLanguage } from './pages/messages/replace.ts'

/** The request that options are called with. `user` is whatever the app's own login put there. */
export type AppRequest = Request & { readonly user?: object | undefined; readonly session?: object | null | undefined }

/** The app's own logout handler. One that takes more than `req` answers by itself, or calls `next()`. */
export type Logout = (req: AppRequest, res: Response, next: NextFunction) => unknown

export interface Logger {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

const consoleLogger: Logger = {
  info: () => {},
  warn: (message) => process.emitWarning(message.replace(/^mfa: /, ''), { type: 'MfaWarning' }),
  // oxlint-disable-next-line no-console -- an app that gives no logger has no other place for it
  error: (message) => console.error(message),
}

type Maybe<T> = T | null | undefined | false
type OrPromise<T> = T | Promise<T>

const fn = <F>() => z.custom<F>((value) => typeof value === 'function', 'must be a function')

const Remote = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http(s) address such as https://mfa.example/api' }),
  apiKey: z.string().min(1),
  domainId: z.string().min(1),
  vendor: Vendor.optional(),
  /** `auto` asks for 1.4 and settles for 1.3. */
  version: z.enum(['auto', '1.3', '1.4']).optional(),
})

const Handle = z.custom<ServiceHandle>(
  (value) => typeof value === 'object' && value !== null && 'connect' in value && 'routes' in value,
  'must be { baseUrl, apiKey, domainId } or a handle such as embedded() returns',
)

const webAddress = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http(s) address such as https://app.example' })
    .refine(isPlain, 'must be an address such as https://app.example/portal, with nothing after its path')
    .transform((url) => url.replace(/\/+$/, ''))

/** Whether all of an address is origin and ordinary path. */
function isPlain(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && /^(\/[\w.~%-]+)*\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
}

/** It ends up in a style sheet, so nothing but this form gets there. */
const Colour = z.string().regex(/^#([\da-f]{3}|[\da-f]{6})$/i, 'must be a colour such as #2450c8')

/** Browsers read `\` as `/`, and two of them as another origin. */
const ownPath = z
  .string()
  .regex(/^\/(?![/\\])[^\\\s"'<>]*$/, 'must be a path on the app’s own origin, such as /logo.svg')

/** What mfa() takes. */
export const MfaOptions = z.strictObject({
  /**
   * The service to ask. Without it `MFA_BASE_URL`, `MFA_API_KEY` and `MFA_DOMAIN_ID` name one, and `MFA_AUTHENTICATOR_URL`
   * its authenticator where that is elsewhere.
   */
  service: z.union([Remote, Handle]).optional(),
  /** Who is signed in; nobody: a falsy value. By default `req.user.username`, as Passport leaves it. */
  user: fn<(req: AppRequest) => OrPromise<Maybe<AppUser>>>().optional(),
  /** Whether this user needs a second step; for a staged rollout. */
  required: fn<(req: AppRequest, user: MfaUser) => OrPromise<boolean>>().optional(),
  /** False: nothing is gated but what `requireMfa()` guards. */
  gate: z.boolean().default(true),
  /**
   * Whether people set up their first factor by themselves on the way in. Until then the password alone is enough for
   * that; false: only an activation code of an administrator is.
   */
  selfEnrollment: z.boolean().default(true),
  /**
   * Whether this user, who has no factor, may set one up by themselves; asked each time, and never with
   * `selfEnrollment: false`. By default everybody may who never had one. A 1.3 service cannot say who that is: there
   * nobody may unless this says so.
   */
  mayEnroll: fn<(req: AppRequest, user: MfaUser) => OrPromise<boolean>>().optional(),
  /** Uses approvals up over all nodes of the app, where the service speaks 1.3 only; by default one process alone does. */
  challengeStore: z
    .custom<ChallengeStore>(
      (value) => typeof value === 'object' && value !== null && 'use' in value,
      'must be { use(sessionId, ttl) }',
    )
    .optional(),
  /** Creates the service's user when the app user first comes by. Needs an e-mail address from `user`. */
  provision: z.boolean().default(false),
  /**
   * What `provision` does with a name that differs from a known one only in case, accents, spaces or characters that cannot
   * be seen. `distinct` refuses it: most apps find one account by both names, and the second name would be a new user who
   * may set up a first factor with the password alone. `exact` is for apps in which the two are different people.
   */
  usernames: z.enum(['distinct', 'exact']).default('distinct'),
  /** Asks people who have just set up a first factor, once, whether they want recovery codes, where the domain takes such. */
  recoveryCodes: z.boolean().default(true),
  /**
   * Offers people to remember their browser: for so many days, 90 at most, it passes the gate without a second step.
   * Whoever copies its cookie does so, too, until the person has all browsers forgotten or changes a device or an app.
   * Nobody is verified by it: `requireMfa()` asks all the same.
   */
  remember: z.union([z.literal(false), z.strictObject({ days: z.int().min(1).max(longestRemembered) })]).default(false),
  /**
   * Changing what the second step is passed with, below `/mfa/devices`: that takes a pass of its own. The service checks
   * that its factor is strong enough and still the user's.
   */
  devices: z
    .strictObject({
      /** What that pass may be given with, among `factors`; all of them by default. E-mail adds a first factor only. */
      factors: z.array(Factor).min(1).optional(),
      /** How old that pass may be, seconds: 600 by default and at most. */
      maxAge: z.int().min(1).max(600).default(600),
    })
    .prefault({}),
  /** Where the challenge pages live. */
  path: z
    .string()
    .regex(/^(\/[\w.~-]+)+$/, 'must be a path such as /mfa')
    .default('/mfa'),
  /** The app's own way out, exact, as its routes see it; open to people who have not passed the second step. */
  logoutPath: z.string().startsWith('/', 'must be a path such as /logout').optional(),
  /** The method that the route at `logoutPath` is called with. */
  logoutMethod: z.enum(['POST', 'GET']).default('POST'),
  /**
   * Signs the user out: `mfa()` ends the second step and then calls this when somebody presses "Sign out" on its pages. Takes
   * your logout handler as it is, `(req, res, next)`. A function of `req` alone may return a promise; the user then goes to `/`.
   */
  logout: fn<Logout>().optional(),
  /**
   * Paths that the gate leaves open on purpose, each exact or with `/*` at its end for all below it: routes before `mfa()`
   * that people who are signed out need, which are then not warned about, and routes behind it for people who have not
   * passed yet, such as a form for codes of your own. `requireMfa()` still refuses them.
   */
  public: z
    .array(z.string().regex(/^(\/|(\/[^/?#%*\\\s]+)+(\/\*)?)$/, 'must be a path such as /auth/callback or /api/*'))
    .default([]),
  /** What the pages call the app. */
  appName: z.string().min(1).max(64).optional(),
  /** Shown beside it: a picture on the app's own origin, served before `mfa()`. By default the first letter. */
  logo: ownPath.optional(),
  /** The colour of buttons and links: one, or one for light and one for dark pages. */
  accent: z.union([Colour, z.strictObject({ light: Colour, dark: Colour })]).optional(),
  /** Where people find help who cannot use their device; served before `mfa()`, or elsewhere. */
  helpUrl: z
    .union([ownPath, z.url({ protocol: /^https$/ })], 'must be a path such as /help, or an https address')
    .optional(),
  /** Words of the pages in the app's own, or in a further language; what is not given stays, or is English. */
  messages: z
    .custom<MessagesByLanguage>(
      (value) => typeof value === 'object' && value !== null,
      'must be texts by language, such as { en: { waiting: { signIn: … } } }',
    )
    .default({}),
  /** The language of the pages, or what tells it of a request; by default what the browser prefers. */
  language: z
    .custom<LanguageChoice>(
      (value) => typeof value === 'string' || typeof value === 'function',
      'must be a language such as en, or a function that returns one',
    )
    .optional(),
  /**
   * The app's address as browsers see it, with the path where a proxy in front takes one off. Required in production, as
   * links must not follow a forged Host header.
   */
  publicUrl: webAddress().optional(),
  /**
   * The authenticator's address as people open it on their phone, where it is not below the challenge pages; an origin is
   * enough. Required where the service's address is a loopback one. In production it is https.
   */
  authenticatorUrl: webAddress().optional(),
  /** Asks people to type a two-digit number on the device (NIST SP 800-63B-4 section 3.1.3). */
  numberMatching: z.boolean().default(true),
  /** What people may pass with, of what they have. E-mail is the weakest and has to be named: `['push', 'otp', 'bypass', 'email']`. */
  factors: z.array(Factor).min(1).default(['push', 'otp', 'bypass']),
  /** How long one call to the service may take once it is sent, ms. */
  timeout: z.int().min(100).max(60_000).default(5_000),
  /** How many calls to the service may be under way at once; further ones queue for up to `timeout` before they are sent. */
  maxConcurrency: z.int().min(1).max(10_000).default(64),
  /**
   * How long verified web sessions go on while the service cannot be asked whether they were ended, seconds; default 900.
   * 0 ends them as soon as it cannot be asked.
   */
  maxUnchecked: z.int().min(0).max(longestVerified).default(900),
  /**
   * Asked when the service gives no answer: true lets this person pass the gate for 5 minutes without a second step. Who
   * can take the service down can then do without it. They are never verified; `requireMfa()` still refuses them.
   */
  failMode: fn<(req: AppRequest, error: Error) => OrPromise<boolean>>().optional(),
  /** Is told what happens, with ids and never with secrets; see MfaEvent. */
  onEvent: fn<(event: MfaEvent) => void>().optional(),
  /** Where errors and warnings go; by default to the console, as Node's own do. */
  logger: z
    .custom<Logger>((value) => typeof value === 'object' && value !== null, 'must have info, warn and error')
    .default(() => consoleLogger),
  clock: z.custom<Clock>((value) => typeof value === 'object' && value !== null).default(systemClock),
  random: fn<(size: number) => Uint8Array>().default(() => randomBytes),
})
export type MfaOptions = z.input<typeof MfaOptions>

export interface ResolvedOptions extends Readonly<
  Omit<z.output<typeof MfaOptions>, 'service' | 'messages' | 'language' | 'accent' | 'devices'>
> {
  readonly languages: Languages
  /** Of its factors only what the app accepts at all. */
  readonly devices: { readonly factors: readonly Factor[]; readonly maxAge: number }
  readonly accent: Accent | undefined
  /** The service's own public routes, where it has any here. */
  readonly routes: ServiceHandle['routes'] | undefined
  /** Which domain of which service it is. */
  readonly serviceId: string
  /** Of a service elsewhere. */
  readonly serviceUrl: string | undefined
  readonly open: () => Promise<Connection>
}

/**
 * @param environment read only for what `service` does not say.
 * @throws {TypeError} that names the option and what to write there; never its value.
 * @throws {SetupError} where the addresses would lead people nowhere.
 */
export function resolveOptions(options: MfaOptions, environment: NodeJS.ProcessEnv): ResolvedOptions {
  const { MFA_AUTHENTICATOR_URL: elsewhere } = environment
  const given = { ...(options.service === undefined && elsewhere && { authenticatorUrl: elsewhere }), ...options }
  const parsed = parseOptions(MfaOptions, 'mfa', given)
  const { service = serviceFrom(environment), messages, language, accent, ...rest } = parsed
  if (environment['NODE_ENV'] === 'production' && rest.publicUrl === undefined) {
    throw new TypeError(
      'mfa: publicUrl is required in production: write the address of the app, such as https://app.example',
    )
  }
  const handle = 'connect' in service ? service : undefined
  const serviceUrl = handle ? undefined : (service as Connection).baseUrl
  checkAuthenticatorUrl(
    { authenticatorUrl: rest.authenticatorUrl, publicUrl: rest.publicUrl, serviceUrl },
    {
      production: environment['NODE_ENV'] === 'production',
      foreign: 'version' in service && service.version === '1.3',
    },
  )
  return Object.freeze({
    ...rest,
    devices: resolveDevices(rest),
    languages: createLanguages(messages, language),
    accent: accent === undefined ? undefined : resolveAccent(accent),
    routes: handle?.routes,
    serviceId: handle ? (handle.id ?? '') : (service as Connection).domainId,
    serviceUrl,
    open: handle ? () => handle.connect({ name: rest.appName }) : () => Promise.resolve(service as Connection),
  })
}

/** @throws {TypeError} where the app accepts none of the factors that are to change others: nobody could change anything. */
function resolveDevices({ devices, factors }: Pick<z.output<typeof MfaOptions>, 'devices' | 'factors'>) {
  const accepted = factors.filter((factor) => devices.factors?.includes(factor) ?? true)
  if (accepted.length > 0) return Object.freeze({ factors: accepted, maxAge: devices.maxAge })
  throw new TypeError(`mfa: devices.factors: expected at least one of factors (${factors.join(', ')})`)
}

function serviceFrom(environment: NodeJS.ProcessEnv): Connection {
  const { MFA_BASE_URL: baseUrl, MFA_API_KEY: apiKey, MFA_DOMAIN_ID: domainId } = environment
  if (baseUrl && apiKey && domainId) return { baseUrl, apiKey, domainId }
  throw new TypeError(
    "mfa: which service? Give mfa({ service: embedded({ database: 'mfa.sqlite' }) }) from second-factor/service, " +
      'or set MFA_BASE_URL, MFA_API_KEY and MFA_DOMAIN_ID',
  )
}
