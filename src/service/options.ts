import { z } from 'zod'

import { systemClock } from '../ground/clock.ts'
import type { Clock } from '../ground/clock.ts'
import { httpUrl } from '../contract/activation-link.ts'
import { Vendor } from '../contract/media-type.ts'
import type { VendorOptions } from '../contract/media-type.ts'
import { Title } from '../contract/title.ts'
import { consoleLogger } from './engine/base/console-logger.ts'
import type { Logger } from './engine/base/logger.ts'
import { InterfaceWords } from './engine/base/interface-words.ts'
import { parseKeyRing } from './engine/secrets/key-ring.ts'
import type { SenderOption } from './engine/context/senders.ts'
import { LimitOptions } from './limit-options.ts'
import { SmtpOptions } from './engine/mail/smtp-options.ts'
import { PushOptions } from './engine/push/push-options.ts'
import { ConsoleUrl } from './engine/front/console-address.ts'
import { systemRandom } from './engine/base/random.ts'
import type { Random } from './engine/base/random.ts'
import { TrustProxy } from './engine/http/trust-proxy.ts'

const withMethods = <T>(...names: (keyof T & string)[]) =>
  z.custom<T>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      names.every((name) => typeof Reflect.get(value, name) === 'function'),
    `must have the functions ${names.join(', ')}`,
  )

/** The message never repeats the value, which may be a secret. */
const KeyRingText = z.string().transform((text, context) => {
  try {
    return parseKeyRing(text)
  } catch (error) {
    context.issues.push({ code: 'custom', input: undefined, message: error instanceof Error ? error.message : '' })
    return z.NEVER
  }
})

/** Options of `createService()`. */
export interface ServiceOptions extends SharedOptions {
  /**
   * The vendor words in headers, for clients that were written for another vendor.
   * @default what `second-factor init` stored in the database, else `Service` and `service`
   */
  vendor?: VendorOptions | undefined
  /**
   * The path of the REST interface below the service's address; `''` for no path.
   * @default what `second-factor init` stored in the database, else `/api`
   */
  basePath?: string | undefined
  /**
   * The proxies whose `X-Forwarded-For` is trusted: the number of proxies, or their networks, such as
   * `['loopback', '10.0.0.0/8']`. Inside an Express app, the app's setting `trust proxy` applies.
   * @default none
   */
  trustProxy?: number | string | string[] | undefined
  /**
   * Whether a line is logged for each request.
   * @default `false`
   */
  logRequests?: boolean | undefined
  /**
   * Metrics for Prometheus. Needs the package `prom-client`.
   * @default none
   */
  metrics?: MetricsOptions | undefined
}

/** Options of `embedded()`. */
export interface EmbeddedOptions extends SharedOptions {
  /**
   * The name of the organization: the first start creates it, and later starts find it by this name.
   * @default the `appName` of `mfa()`, and follows its changes; a name that an administrator set stays
   */
  organization?: string | undefined
  /**
   * The name of the domain, which users see on their device when they sign in: the first start creates it, and later
   * starts find it by this name.
   * @default the `appName` of `mfa()`, and follows its changes; a name that an administrator set stays
   */
  domain?: string | undefined
}

/** Options of every service, embedded or not. */
interface SharedOptions {
  /**
   * The path of the SQLite file, `:memory:`, or `postgres://user:password@host/name`. A database that does not exist is
   * created; with `NODE_ENV=production` only `second-factor init` or `MFA_CREATE=1` creates one. SQLite needs the package
   * `better-sqlite3`, PostgreSQL `pg`.
   */
  database: string
  /**
   * PostgreSQL's own address, if `database` is a pooler in transaction mode, such as PgBouncer, which does not support
   * LISTEN.
   * @default the option `database`
   */
  listenDatabase?: string | undefined
  /**
   * The keys that secrets are encrypted with: `id:base64,id:base64`, 32 bytes each, of which the first one encrypts.
   * Back them up in a different place than the database.
   * @default those in the file `<database>.keys`, which is created with the database
   */
  keys?: string | undefined
  /** The vendor words in headers, for clients that were written for another vendor. */
  vendor?: VendorOptions | undefined
  /**
   * The clock, which tests replace.
   * @default the clock of the machine
   */
  clock?: Clock | undefined
  /**
   * The source of random bytes, which tests replace.
   * @default `randomBytes` of `node:crypto`
   */
  random?: Random | undefined
  /**
   * Receives messages for the operator of the service; `pino` and `console` work.
   * @default warnings and errors on the console, one line each
   */
  logger?: Logger | undefined
  /**
   * The mail server that sends codes and notices. Needs the package `nodemailer`.
   * @default no mail is sent
   */
  smtp?: SmtpOptions | undefined
  /** How users are told about what happens to their account. */
  notify?: NotifyOptions | undefined
  /**
   * The public address of the authenticator, such as `https://mfa.example`: where links lead that the console shows, and those in
   * mails, for enrollment and for "This wasn't me".
   * @default with `embedded()` that of `mfa()`, by its `authenticatorUrl` or `publicUrl`; else none: there are no such links
   */
  authenticatorUrl?: string | undefined
  /** Messages that wake devices, or `false` for none. Needs the package `web-push`. */
  push?: false | PushOptions | undefined
  /**
   * How long entries of the audit trail are kept, days.
   * @default `365`
   */
  auditRetention?: number | undefined
  /**
   * How long approvals of actions and their proofs are kept, days. A change concerns later ones.
   * @default `400`
   */
  approvalRetention?: number | undefined
  /**
   * Whether bypass codes can be read again, as in the interface (`'readable'`), or are shown only when they are
   * created, and stored as a hash (`'once'`). Existing codes do not change; codes created with `'once'` work only while
   * it is set.
   * @default `'readable'`
   */
  bypassCodes?: 'readable' | 'once' | undefined
  /** How passkeys are verified. They need the package `@simplewebauthn/server`. */
  passkeys?: PasskeyOptions | undefined
  /**
   * What the hash of a new PIN or passcode costs, as parameters of scrypt (RFC 7914). It protects passcodes if database and keys
   * are stolen, with the default for about 0.2 s and 32 MB each. It doesn't protect PINs, which have 10,000 values: a thief of both tries
   * them all in ten minutes. Lower it in tests only.
   * @default `{ N: 32768, r: 8, p: 3 }` for passcodes, as OWASP's password storage cheat sheet recommends; `{ N: 16384, r: 8, p: 1 }` for PINs
   */
  pinHashCost?: { N: number; r: number; p: number } | undefined
  /**
   * The console for administrators and the help desk.
   * @default none
   */
  console?: ConsoleOptions | undefined
  /** Limits on how much of the service one caller can use. */
  limits?: LimitOptions | undefined
}

/** How users are told about what happens to their account. */
export interface NotifyOptions {
  /**
   * Whether the mail server `smtp` sends security mails: about changes of factors, reported sign-ins and locked codes.
   * One-time codes are sent anyway.
   * @default `true`
   */
  mail?: boolean | undefined
}

/** How passkeys are verified. */
export interface PasskeyOptions {
  /**
   * Whether a passkey is refused when its signature counter did not grow, which may mean that its key was copied. It is in the
   * audit trail in any case. Synchronized passkeys have no counter.
   * @default `false`
   */
  refuseClones?: boolean | undefined
}

/** The console for administrators and the help desk. */
export interface ConsoleOptions {
  /**
   * Its origin, such as `https://console.example.com`. Give it a host name of its own: passkeys of administrators work there
   * only, and an attacker who runs a script in another app of the same origin could act as the administrator.
   */
  url: string
  /**
   * Whether the host of the console also serves the authenticator and the REST interface. By default it serves the console
   * alone.
   * @default `false`
   */
  allowSharedOrigin?: boolean | undefined
}

/** Access to the metrics. */
export interface MetricsOptions {
  /**
   * The token that Prometheus sends to read `/metrics`, at least 16 characters.
   * @default none: metrics are served only where you serve the service's `metrics` yourself
   */
  token?: string | undefined
}

/** scrypt needs 128 × N × r bytes (RFC 7914 section 2). */
const HashCost = z
  .strictObject({ N: z.int().min(2), r: z.int().min(1), p: z.int().min(1) })
  .refine(({ N }) => Number.isInteger(Math.log2(N)), 'N must be a power of two')
  .refine(({ N, r }) => N * r <= 2 ** 18, 'N × r must be at most 2^18, which needs 32 MB')

const shared = {
  database: z.string().min(1),
  listenDatabase: z.string().min(1).optional(),
  keys: KeyRingText.optional(),
  vendor: Vendor.prefault({}),
  clock: withMethods<Clock>('now', 'after').default(systemClock),
  random: z.custom<Random>((value) => typeof value === 'function', 'must be a function').default(() => systemRandom),
  logger: withMethods<Logger>('info', 'warn', 'error').default(consoleLogger),
  smtp: SmtpOptions.optional(),
  notify: z.strictObject({ mail: z.boolean().default(true) }).prefault({}),
  authenticatorUrl: z
    .string()
    .refine((text) => httpUrl(text) !== undefined, 'must be an address such as https://mfa.example')
    .optional(),
  push: z.union([z.literal(false), PushOptions]).prefault({}),
  auditRetention: z.int().min(1).max(36_500).default(365),
  approvalRetention: z.int().min(1).max(36_500).default(400),
  bypassCodes: z.enum(['readable', 'once']).default('readable'),
  passkeys: z.strictObject({ refuseClones: z.boolean().default(false) }).prefault({}),
  pinHashCost: HashCost.optional(),
  console: z.strictObject({ url: ConsoleUrl, allowSharedOrigin: z.boolean().default(false) }).optional(),
  limits: LimitOptions.prefault({}),
} satisfies Readonly<Record<SenderOption, z.ZodType>> & Readonly<Record<string, z.ZodType>>

export const ServiceOptions = z.strictObject({
  ...shared,
  vendor: InterfaceWords.omit({ basePath: true }).prefault({}),
  basePath: InterfaceWords.shape.basePath,
  trustProxy: TrustProxy.optional(),
  logRequests: z.boolean().default(false),
  metrics: z.strictObject({ token: z.string().min(16, 'must have at least 16 characters').optional() }).optional(),
})

export const EmbeddedOptions = z.strictObject({
  ...shared,
  organization: Title.optional(),
  domain: Title.optional(),
})
