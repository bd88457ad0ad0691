import { z } from 'zod'

import type { Clock } from '../ground/clock.ts'
import { systemClock } from '../ground/clock.ts'
import type { CallLimit } from './call-limit.ts'
import { defaultVendor, Vendor } from '../contract/media-type.ts'
import type { VendorOptions } from '../contract/media-type.ts'
import { parseOptions } from '../contract/validate.ts'

/** The options of `createClient()`. */
export interface ClientOptions {
  /** The service's address with its API prefix, such as `https://mfa.example/api`. */
  baseUrl: string
  /** The organization's API key, 64 characters. */
  apiKey: string
  /** The vendor words in headers, if they differ from this package's defaults. */
  vendor?: VendorOptions | undefined
  /**
   * The time limit of one call, in milliseconds. The time of a held read is added.
   * @default `10000`
   */
  timeout?: number | undefined
  /**
   * The version of the interface. `'auto'` requests 1.4, and uses 1.3 if the service does not support 1.4.
   * @default `'auto'`
   */
  version?: 'auto' | '1.3' | '1.4' | undefined
  /**
   * Whether http to another machine is allowed. Everyone on the network path can then read the API key.
   * @default `false`
   */
  allowInsecureHttp?: boolean | undefined
  /**
   * Sends the requests.
   * @default the global `fetch`
   */
  fetch?: typeof globalThis.fetch | undefined
  /**
   * Limits calls while the service does not answer, as `mfa()` does for its own client.
   * @default calls are not limited
   */
  limit?: CallLimit | undefined
  /**
   * Returns the id of the request that a call is made for. It is sent as `X-Request-Id`, and the service logs it.
   * @default none is sent
   */
  requestId?: (() => string | undefined) | undefined
  /**
   * Returns a number from 0 to 1, which varies the pauses before retries.
   * @default `Math.random`
   */
  random?: (() => number) | undefined
  /**
   * The clock, which tests replace.
   * @default the clock of the machine
   */
  clock?: Clock | undefined
}

export const ClientOptions = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http(s) address such as https://mfa.example/api' }),
  apiKey: z.string().regex(/^[\x21\x23-\x7e]{64}$/, 'must be the API key of 64 characters'),
  vendor: Vendor.default(defaultVendor),
  timeout: z.int().min(1).max(600_000).default(10_000),
  version: z.enum(['auto', '1.3', '1.4']).default('auto'),
  allowInsecureHttp: z.boolean().default(false),
  fetch: z.custom<typeof fetch>((value) => typeof value === 'function', 'must be a function').optional(),
  limit: z.custom<CallLimit>((value) => typeof value === 'object' && value !== null).optional(),
  requestId: z
    .custom<() => string | undefined>((value) => typeof value === 'function', 'must be a function')
    .optional(),
  random: z.custom<() => number>((value) => typeof value === 'function').default(() => Math.random),
  clock: z.custom<Clock>((value) => typeof value === 'object' && value !== null).default(systemClock),
})
export type ResolvedClientOptions = Readonly<z.output<typeof ClientOptions>>

/** @throws {TypeError} that names the option and what to write there; never its value. */
export function resolveClientOptions(options: ClientOptions): ResolvedClientOptions {
  const parsed = parseOptions(ClientOptions, 'createClient', options)
  const resolved = { ...parsed, baseUrl: parsed.baseUrl.replace(/\/+$/, '') }
  if (!resolved.allowInsecureHttp && !isSecure(new URL(resolved.baseUrl))) {
    throw new TypeError(
      'createClient: baseUrl must be https, as every call sends the API key (allowInsecureHttp: true allows http)',
    )
  }
  return Object.freeze(resolved)
}

function isSecure(url: URL): boolean {
  return url.protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
}
