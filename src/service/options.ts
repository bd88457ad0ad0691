import { z } from 'zod'

import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { Vendor } from '../contract/media-type.ts'
import type { Logger } from './context.ts'
import { InterfaceWords } from './interface-words.ts'
import { TrustProxy } from './http/client-address.ts'
import { parseKeyRing } from './keys/key-ring.ts'
import { SmtpOptions } from './mail/smtp-options.ts'
import { PushOptions } from './push/push-options.ts'
import { systemRandom } from './rules/random.ts'
import type { Random } from './rules/random.ts'

const silent: Logger = { info: () => {}, warn: () => {}, error: () => {} }

const withMethods = <T>(...names: (keyof T & string)[]) =>
  z.custom<T>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      names.every((name) => typeof Reflect.get(value, name) === 'function'),
    `must have the functions ${names.join(', ')}`,
  )

/** The issue repeats nothing of what was given. */
const KeyRingText = z.string().transform((text, context) => {
  try {
    return parseKeyRing(text)
  } catch (error) {
    context.issues.push({ code: 'custom', input: undefined, message: error instanceof Error ? error.message : '' })
    return z.NEVER
  }
})

const shared = {
  /**
   * Path of the SQLite file, `:memory:`, or `postgres://user:password@host/name`. One that does not exist is created. With
   * `NODE_ENV=production` only `second-factor init` or `MFA_CREATE=1` does that.
   */
  database: z.string().min(1),
  /**
   * PostgreSQL's own address, where `database` is a pooler that lends connections by transaction, such as PgBouncer: LISTEN
   * does not work through it. By default `database`.
   */
  listenDatabase: z.string().min(1).optional(),
  /**
   * What secrets are encrypted with: `id:base64,id:base64`, 32 bytes each, the first one for writing. Without it they
   * are in a file beside the database, `<database>.keys`, made at first: back it up apart from the database.
   */
  keys: KeyRingText.optional(),
  vendor: Vendor.prefault({}),
  clock: withMethods<Clock>('now', 'after').default(systemClock),
  random: z.custom<Random>((value) => typeof value === 'function', 'must be a function').default(() => systemRandom),
  logger: withMethods<Logger>('info', 'warn', 'error').default(silent),
  /** Where codes that are e-mailed are handed in; without it none can be. Needs `nodemailer`. */
  smtp: SmtpOptions.optional(),
  /** Messages that wake devices; `false` for none. Needs `web-push`. */
  push: z.union([z.literal(false), PushOptions]).prefault({}),
  /** How long entries of the audit trail are kept, days. */
  auditRetention: z.int().min(1).max(36_500).default(365),
  /**
   * `readable`: as the interface has it, bypass codes can be read again. `once`: a code is shown only when it is made, and
   * a hash of it is kept. Codes that were made before stay as they are; those of `once` work only while it is set.
   */
  bypassCodes: z.enum(['readable', 'once']).default('readable'),
  limits: z
    .strictObject({
      /** Wrong activation codes from one IPv4 address or IPv6 network (/64) in 10 minutes; then right ones are refused, too. */
      triesPerAddress: z.int().positive().default(30),
      /** Wrong activation codes in an hour, from anywhere; then right ones are refused, too. */
      triesPerService: z.int().positive().default(20_000),
      /** Wrong activation codes in an hour, from anywhere, at which log, metrics and audit trail say so. */
      triesAlert: z.int().positive().default(1_000),
      /**
       * Different users who can be asked from one IPv4 address or IPv6 network (/64) in 10 minutes, for sessions with an
       * `ipAddress` and without a `challenge`. Beyond it the address is refused while fewer than half of them approved.
       */
      pushedUsersPerAddress: z.int().positive().default(10),
      /** Of the REST interface, for each API key; and for each address that has none. Not behind the door of an embedded service. */
      requestsPerSecond: z.int().positive().default(1_000),
      /**
       * Requests that a process works on at once; further ones are answered 503 with `Retry-After` before anything is done
       * for them. Requests that are held do not count, and those that complete an approval are always taken. Not for an
       * embedded service.
       */
      concurrentRequests: z.int().positive().default(512),
      /**
       * Milliseconds. While half of the requests take longer, fewer than `concurrentRequests` are worked on at once, down
       * to 16. Not for an embedded service.
       */
      responseTime: z.int().positive().default(500),
      /** Reads of sessions that a process holds for one API key; further ones are answered at once. */
      heldReadsPerKey: z.int().positive().default(5_000),
      /** Reads of sessions that a process holds about one user, likewise. */
      heldReadsPerUser: z.int().positive().default(16),
      /** Reads of its requests that a process holds for one device, likewise. */
      heldReadsPerDevice: z.int().positive().default(8),
      /** Event streams that a process holds for one API key; further ones are answered 429. */
      streamsPerKey: z.int().positive().default(100),
    })
    .prefault({}),
}

export const ServiceOptions = z.strictObject({
  ...shared,
  /** The words of the REST interface: by default what `init` stored in the database, else `Service` and `service`. */
  vendor: InterfaceWords.omit({ basePath: true }).prefault({}),
  /**
   * Where the REST interface is below the service's address; empty for nowhere but there. By default what `init` stored in
   * the database, else `/api`.
   */
  basePath: InterfaceWords.shape.basePath,
  /**
   * Whose `X-Forwarded-For` is believed: how many proxies there are, or the networks they are in, such as
   * `['loopback', '10.0.0.0/8']`. By default nobody's. Inside an Express app its own setting `trust proxy` decides.
   */
  trustProxy: TrustProxy.optional(),
  /** Logs a line for each request. */
  logRequests: z.boolean().default(false),
  /** Counts for Prometheus: behind a token at `/metrics`, or for `metrics` of the service to be served elsewhere. */
  metrics: z.strictObject({ token: z.string().min(16, 'must have at least 16 characters').optional() }).optional(),
})
export type ServiceOptions = z.input<typeof ServiceOptions>

const Title = z.string().trim().min(1).max(128)

export const EmbeddedOptions = z.strictObject({
  ...shared,
  /**
   * Name of the organization: created at first, and found again by it. By default the `appName` of `mfa()`, which it then
   * follows; a name that an administrator gave stays.
   */
  organization: Title.optional(),
  /** Name of the domain, likewise: what people sign in to, as they see it on their device. */
  domain: Title.optional(),
})
export type EmbeddedOptions = z.input<typeof EmbeddedOptions>
