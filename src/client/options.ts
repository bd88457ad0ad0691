import { z } from 'zod'

import type { Clock } from '../clock.ts'
import { systemClock } from '../clock.ts'
import type { CallLimit } from './call-limit.ts'
import { defaultVendor, Vendor } from '../contract/media-type.ts'
import { parseOptions } from '../contract/validate.ts'

/** What createClient() takes. */
export const ClientOptions = z.strictObject({
  /** The service's address with its API prefix, such as `https://mfa.example/api`. */
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http(s) address such as https://mfa.example/api' }),
  /** The organization's API key, 64 characters. */
  apiKey: z.string().regex(/^[\x21\x23-\x7e]{64}$/, 'must be the API key of 64 characters'),
  vendor: Vendor.default(defaultVendor),
  /** How long one call may take, ms. A held read may take its own time on top. */
  timeout: z.int().min(1).max(600_000).default(10_000),
  /** `auto` asks for 1.4 and settles for 1.3. */
  version: z.enum(['auto', '1.3', '1.4']).default('auto'),
  /** Allows http to another machine, where everybody on the way can read the API key. */
  allowInsecureHttp: z.boolean().default(false),
  fetch: z.custom<typeof fetch>((value) => typeof value === 'function', 'must be a function').optional(),
  /** Holds calls back; see createCallLimit(). */
  limit: z.custom<CallLimit>((value) => typeof value === 'object' && value !== null).optional(),
  /** The id of the request that a call is made for, sent as `X-Request-Id`; the service logs it. By default none. */
  requestId: z
    .custom<() => string | undefined>((value) => typeof value === 'function', 'must be a function')
    .optional(),
  /** From 0 to 1: spreads the pauses before calls are sent again that the service refused. */
  random: z.custom<() => number>((value) => typeof value === 'function').default(() => Math.random),
  clock: z.custom<Clock>((value) => typeof value === 'object' && value !== null).default(systemClock),
})
export type ClientOptions = z.input<typeof ClientOptions>
export type ResolvedClientOptions = Readonly<z.output<typeof ClientOptions>>

/** @throws {TypeError} that names the option and what to write there; never its value. */
export function resolveClientOptions(options: ClientOptions): ResolvedClientOptions {
  const parsed = parseOptions(ClientOptions, 'createClient', options)
  const resolved = { ...parsed, baseUrl: parsed.baseUrl.replace(/\/+$/, '') }
  if (!resolved.allowInsecureHttp && !isPrivateEnough(new URL(resolved.baseUrl))) {
    throw new TypeError(
      'createClient: baseUrl must be https, as the API key travels with every call (allowInsecureHttp: true loosens this)',
    )
  }
  return Object.freeze(resolved)
}

function isPrivateEnough(url: URL): boolean {
  return url.protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
}
