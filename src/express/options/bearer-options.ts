import { z } from 'zod'

import type { Clock } from '../../ground/clock.ts'
import { systemClock } from '../../ground/clock.ts'
import { SetupError } from '../../service-handle.ts'
import type { Logger } from './app.ts'
import { isLoopback } from './authenticator-url.ts'
import { LoggerSchema } from './logger.ts'

/** Signatures that only the issuer can make. A shared secret (HMAC) would let every API issue tokens for all others. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

export type BearerAlgorithm = (typeof algorithms)[number]

/** Whose access tokens a route accepts. Write one object for all routes: they then share the keys of the issuer. */
export interface BearerOptions {
  /** The authorization server, exactly as it stands in the claim `iss`, such as `'https://login.example'`; https, or http on this machine. */
  readonly issuer: string
  /** The name of this API in the claim `aud`, or a list of which one suffices, such as `'https://api.example'`. */
  readonly audience: string | readonly string[]
  /**
   * The address of the issuer's public keys (JWK Set).
   * @default `jwks_uri` in the metadata of the issuer (RFC 8414, OpenID Connect Discovery)
   */
  readonly jwksUri?: string | undefined
  /**
   * The accepted signature algorithms.
   * @default RSA (`RS…`, `PS…`), `ES…` and `EdDSA`; never `none` or HMAC
   */
  readonly algorithms?: readonly BearerAlgorithm[] | undefined
  /**
   * How long the issuer may take to answer, in milliseconds; 100 to 60,000.
   * @default `5000`
   */
  readonly timeout?: number | undefined
  /**
   * Calls the issuer.
   * @default the global `fetch`
   */
  readonly fetch?: typeof fetch | undefined
  /**
   * Receives a line when the keys of the issuer cannot be read, and when they can be read again.
   * @default the console
   */
  readonly logger?: Logger | undefined
  /**
   * The clock, for tests.
   * @default the machine's clock
   */
  readonly clock?: Clock | undefined
}

/** It is sent as the realm, in a quoted string (RFC 9110 section 5.6.4). */
const Audience = z.string().regex(/^[ -~]+$/, 'must be the name of this API, such as https://api.example')

const address = z.url({ protocol: /^https?$/, error: 'must be an address such as https://login.example' })

/** Checks {@link BearerOptions}, and fills in the defaults. */
export const BearerSchema = z.strictObject({
  // RFC 8414 section 2.
  issuer: address.refine((text) => !/[?#]/.test(text), 'must have no query and no fragment'),
  audience: z.union([Audience, z.array(Audience).min(1)]),
  jwksUri: address.optional(),
  algorithms: z
    .array(z.enum(algorithms))
    .min(1)
    .default([...algorithms]),
  timeout: z.int().min(100).max(60_000).default(5_000),
  fetch: z.custom<typeof fetch>((value) => typeof value === 'function', 'must be a function').optional(),
  logger: LoggerSchema,
  clock: z.custom<Clock>((value) => typeof value === 'object' && value !== null).default(systemClock),
})

export type ResolvedBearer = Readonly<z.output<typeof BearerSchema>>

/** @throws {SetupError} where others could replace the keys on their way. */
export function checkAddresses(caller: string, { issuer, jwksUri }: ResolvedBearer): void {
  for (const [name, text] of [
    ['issuer', issuer],
    ['jwksUri', jwksUri],
  ] as const) {
    if (text === undefined || isProtected(new URL(text))) continue
    throw new SetupError(
      `${caller}: bearer.${name} is plain http (${new URL(text).origin}), so the keys could be replaced on their way: ` +
        'write its https address. Plain http works only for an issuer on this machine.',
    )
  }
}

/** Whether nobody can change an answer on its way. */
export const isProtected = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))
