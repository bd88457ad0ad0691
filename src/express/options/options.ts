import { z } from 'zod'

import type { ChallengeStore } from '../../challenge/challenge-store.ts'
import { maxVerifiedAge } from '../../challenge/challenge.ts'
import type { AppUser, MfaUser } from '../../challenge/user.ts'
import type { Clock } from '../../ground/clock.ts'
import { systemClock } from '../../ground/clock.ts'
import { maxRememberDays } from '../../contract/browsers.ts'
import { Vendor } from '../../contract/media-type.ts'
import { UnknownBrowser } from '../../contract/browser-key.ts'
import { PhishingResistance } from '../../contract/phishing-resistance.ts'
import { isStrong } from '../../contract/factor-descriptions.ts'
import { Factor } from '../../contract/factor.ts'
import { RelyingParty } from '../../contract/relying-party.ts'
import { parseOptions } from '../../contract/validate.ts'
import { pooledRandom } from '../../ground/pooled-random.ts'
import { SetupError } from '../../service-handle.ts'
import type { Connection, ServiceHandle } from '../../service-handle.ts'
import type { MessagesByLanguage } from '../messages/replace.ts'
import { readEmergency } from './emergency.ts'
import type { Accent } from './accent.ts'
import { resolveAccent } from './accent.ts'
import type { AppRequest, Logout, Maybe, OrPromise } from './app.ts'
import { knownAuthenticator } from './authenticator-address.ts'
import { checkAuthenticatorUrl } from './authenticator-url.ts'
import { checkOptions } from './check-passkeys.ts'
import { LoggerSchema } from './logger.ts'
import { createLanguages } from './languages.ts'
import type { LanguageChoice, Languages } from './languages.ts'
import type { MfaEvent } from './mfa-event.ts'
import type { MfaOptions } from './mfa-options.ts'
import { resolvePasskeys } from './relying-party.ts'
import type { ResolvedPasskeys } from './relying-party.ts'

const fn = <F>() => z.custom<F>((value) => typeof value === 'function', 'must be a function')

const serviceForms = 'must be { baseUrl, apiKey, domainId } or a handle such as embedded() returns'

const Remote = z.strictObject(
  {
    baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http(s) address such as https://mfa.example/api' }),
    apiKey: z.string().min(1),
    domainId: z.string().min(1),
    vendor: Vendor.optional(),
    version: z.enum(['auto', '1.3', '1.4']).optional(),
  },
  { error: ({ code }) => (code === 'invalid_type' ? serviceForms : undefined) },
)

const Handle = z.custom<ServiceHandle>(
  (value) => typeof value === 'object' && value !== null && 'connect' in value && 'routes' in value,
  serviceForms,
)

const webAddress = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http(s) address such as https://app.example', abort: true })
    .refine(isPlain, 'must be an address such as https://app.example/portal, with nothing after its path')
    .transform((url) => url.replace(/\/+$/, ''))

/** Whether an address consists of an origin and a plain path. */
function isPlain(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && /^(\/[\w.~%-]+)*\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
}

/** A path would look as if only pages below it were allowed. */
const origin = z
  .string()
  .refine(
    (text) => /^https?:/.test(text) && URL.parse(text)?.origin === text,
    'must be an origin such as https://spa.example, without a path or a slash at its end',
  )

/** It is inserted into a style sheet, so only this form is allowed. */
const Color = z.string().regex(/^#([\da-f]{3}|[\da-f]{6})$/i, 'must be a color such as #2450c8')

/** Browsers read `\` as `/`, and a path that starts with two of them as another origin. */
const ownPath = z
  .string()
  .regex(/^\/(?![/\\])[^\\\s"'<>]*$/, 'must be a path on the app’s own origin, such as /logo.svg')

/** @param example A path to name in the error. */
const linkTo = (example: string) =>
  z.union([ownPath, z.url({ protocol: /^https$/ })], `must be a path such as ${example}, or an https address`)

/** Checks {@link MfaOptions}, and fills in the defaults. */
export const MfaOptionsSchema = z.strictObject({
  service: z.union([Remote, Handle]).optional(),
  user: fn<(req: AppRequest) => OrPromise<Maybe<AppUser>>>().optional(),
  required: fn<(req: AppRequest, user: MfaUser) => OrPromise<boolean | 'never'>>().optional(),
  gate: z.boolean().default(true),
  selfEnrollment: z.boolean().default(true),
  mayEnroll: fn<(req: AppRequest, user: MfaUser) => OrPromise<boolean>>().optional(),
  importFactors: fn<NonNullable<MfaOptions['importFactors']>>().optional(),
  challengeStore: z
    .custom<ChallengeStore>(
      (value) => typeof value === 'object' && value !== null && 'use' in value,
      'must be { use(sessionId, ttl) }',
    )
    .optional(),
  provision: z.boolean().default(false),
  usernames: z.enum(['distinct', 'exact']).default('distinct'),
  recoveryCodes: z.boolean().default(true),
  remember: z.union([z.literal(false), z.strictObject({ days: z.int().min(1).max(maxRememberDays) })]).default(false),
  devices: z
    .strictObject({
      factors: z.array(Factor).min(1).optional(),
      maxAge: z.int().min(1).max(600).default(600),
    })
    .prefault({}),
  path: z
    .string()
    .regex(/^(\/[\w.~-]+)+$/, 'must be a path such as /mfa')
    .default('/mfa'),
  logoutPath: z.string().startsWith('/', 'must be a path such as /logout').optional(),
  logoutMethod: z.enum(['POST', 'GET']).default('POST'),
  logout: fn<Logout>().optional(),
  public: z
    .array(z.string().regex(/^(\/|(\/[^/?#%*\\\s]+)+(\/\*)?)$/, 'must be a path such as /auth/callback or /api/*'))
    .default([]),
  appName: z.string().min(1).max(64).optional(),
  logo: ownPath.optional(),
  accent: z.union([Color, z.strictObject({ light: Color, dark: Color })]).optional(),
  helpUrl: linkTo('/help').optional(),
  passwordUrl: linkTo('/change-password').optional(),
  locate: fn<(address: string) => OrPromise<Maybe<string>>>().optional(),
  views: z.strictObject({ challenge: z.string().min(1) }).optional(),
  messages: z
    .custom<MessagesByLanguage>(
      (value) => typeof value === 'object' && value !== null,
      'must be texts by language, such as { en: { waiting: { signIn: … } } }',
    )
    .default({}),
  language: z
    .custom<LanguageChoice>(
      (value) => typeof value === 'string' || typeof value === 'function',
      'must be a language such as en, or a function that returns one',
    )
    .optional(),
  publicUrl: webAddress().optional(),
  returnOrigins: z.array(origin).max(20).default([]),
  authenticatorUrl: webAddress().optional(),
  numberMatching: z.boolean().default(true),
  passkeys: z
    .union([
      z.literal(false),
      z.strictObject({
        rpId: RelyingParty.shape.id.optional(),
        rpName: z.string().min(1).max(64).optional(),
        origins: RelyingParty.shape.origins.optional(),
      }),
    ])
    .default({}),
  factors: z.array(Factor).min(1).default(Factor.options.filter(isStrong)),
  phishingResistant: PhishingResistance.default('off'),
  unknownBrowser: UnknownBrowser.default('number'),
  timeout: z.int().min(100).max(60_000).default(5_000),
  maxConcurrency: z.int().min(1).max(10_000).default(64),
  maxUnchecked: z.int().min(0).max(maxVerifiedAge).default(900),
  failMode: fn<(req: AppRequest, error: Error) => OrPromise<boolean>>().optional(),
  onEvent: fn<(event: MfaEvent) => void>().optional(),
  logger: LoggerSchema,
  debug: z.boolean().default(false),
  clock: z.custom<Clock>((value) => typeof value === 'object' && value !== null).default(systemClock),
  random: fn<(size: number) => Uint8Array>().default(() => pooledRandom),
})

export interface ResolvedOptions extends Readonly<
  Omit<z.output<typeof MfaOptionsSchema>, 'service' | 'messages' | 'language' | 'accent' | 'devices' | 'passkeys'>
> {
  readonly passkeys: ResolvedPasskeys
  readonly languages: Languages
  /** The devices; their factors are limited to those that the app accepts. */
  readonly devices: { readonly factors: readonly Factor[]; readonly maxAge: number }
  readonly accent: Accent | undefined
  /** The public routes of an embedded service. */
  readonly routes: ServiceHandle['routes'] | undefined
  /** Identifies the service and its domain. */
  readonly serviceId: string
  /** Until when the second step is off, Unix seconds. */
  readonly emergencyUntil: number | undefined
  /** The address of a remote service. */
  readonly serviceUrl: string | undefined
  readonly open: () => Promise<Connection>
}

/**
 * @param environment read only for what `service` does not say.
 * @throws {TypeError} that names the option and what to write there; never its value.
 * @throws {SetupError} if users could not open the configured addresses.
 */
export function resolveOptions(options: MfaOptions, environment: NodeJS.ProcessEnv): ResolvedOptions {
  const { MFA_AUTHENTICATOR_URL: elsewhere } = environment
  const input = { ...(options.service === undefined && elsewhere && { authenticatorUrl: elsewhere }), ...options }
  const parsed = parseOptions(MfaOptionsSchema, 'mfa', input)
  const { service = serviceFrom(environment), messages, language, accent, passkeys, ...rest } = parsed
  if (environment['NODE_ENV'] === 'production' && rest.publicUrl === undefined) {
    throw new TypeError(
      'mfa: publicUrl is required in production: write the address of the app, such as https://app.example',
    )
  }
  if (environment['NODE_ENV'] === 'production' && rest.debug) {
    throw new SetupError(
      "mfa: debug is not for production, as it shows what happens inside: leave it out, or write debug: process.env.NODE_ENV !== 'production'",
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
  const resolvedPasskeys = resolvePasskeys({ passkeys, publicUrl: rest.publicUrl }, (text) =>
    rest.logger.warn(`mfa: ${text}`),
  )
  checkOptions({ ...rest, passkeys: resolvedPasskeys, version: 'version' in service ? service.version : undefined })
  const appName = rest.appName ?? (rest.publicUrl && new URL(rest.publicUrl).host.slice(0, 64))
  const app = { name: appName, authenticatorUrl: knownAuthenticator(rest) }
  return Object.freeze({
    ...rest,
    appName,
    devices: resolveDevices(rest),
    passkeys: resolvedPasskeys,
    languages: createLanguages(messages, language),
    accent: accent === undefined ? undefined : resolveAccent(accent),
    routes: handle?.routes,
    emergencyUntil: readEmergency(environment, rest.clock, rest.logger),
    serviceId: handle ? (handle.id ?? '') : (service as Connection).domainId,
    serviceUrl,
    open: handle ? () => handle.connect(app) : () => Promise.resolve(service as Connection),
  })
}

/** @throws {TypeError} if the app accepts none of the factors that confirm changes: no user could change anything. */
function resolveDevices({ devices, factors }: Pick<z.output<typeof MfaOptionsSchema>, 'devices' | 'factors'>) {
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
