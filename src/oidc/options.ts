import { z } from 'zod'

import { parseOptions } from '../contract/validate.ts'
import { MfaOptionsSchema } from '../express/options/options.ts'
import type { MfaOptions } from '../express/options/mfa-options.ts'
import type { ServiceHandle } from '../service-handle.ts'
import type { TrustProxy } from '../service/engine/http/trust-proxy.ts'
import { TrustProxy as TrustProxySchema } from '../service/engine/http/trust-proxy.ts'
import type { Service } from '../service/service.ts'

/** What `oidc()` takes. */
export interface OidcOptions extends PageOptions {
  /** The service whose users sign in, from `createService()` or `embedded()`. */
  service: Service | ServiceHandle
  /**
   * The issuer: the https address that clients know the provider by, with the path of a prefix if there is one. Cookies, links and
   * tokens follow it, and never the Host header. Plain http is accepted for localhost only.
   */
  issuer: string
  /**
   * The proxies whose X-Forwarded-For is trusted, where no Express app around it says so: their number, or their networks.
   * @default none
   */
  trustProxy?: TrustProxy | undefined
}

/** The options of `mfa()` that apply to the pages of the provider and to each second step that it asks for. */
type PageOptions = Pick<MfaOptions, PageOption>

const pageOptions = {
  logo: true,
  accent: true,
  helpUrl: true,
  authenticatorUrl: true,
  passkeys: true,
  language: true,
  messages: true,
  locate: true,
  selfEnrollment: true,
  numberMatching: true,
  phishingResistant: true,
  unknownBrowser: true,
  timeout: true,
  onEvent: true,
  logger: true,
  clock: true,
  random: true,
} as const

type PageOption = keyof typeof pageOptions

const OidcOptionsSchema = z.strictObject({
  ...MfaOptionsSchema.pick(pageOptions).shape,
  service: z.custom<Service | ServiceHandle>(
    (value) => typeof value === 'object' && value !== null,
    'must be what createService() or embedded() returns',
  ),
  issuer: z
    .url({ protocol: /^https?$/, error: 'must be an address such as https://id.example', abort: true })
    .refine(isPlainIssuer, {
      error: 'must be https, with nothing after its path, and without a slash at its end',
      abort: true,
    })
    .refine(isSecureIssuer, 'must be https, except for localhost'),
  trustProxy: TrustProxySchema.optional(),
})

/** Every client compares the issuer as text (OpenID Connect Discovery 1.0 section 4.3), so it is never changed. */
function isPlainIssuer(address: string): boolean {
  const url = URL.parse(address)
  return (
    url !== null &&
    (url.pathname === '/' ? url.origin : url.origin + url.pathname) === address &&
    plainPath.test(url.pathname)
  )
}

const plainPath = /^\/?(?:[\w.~-]+\/)*[\w.~-]*$/

function isSecureIssuer(address: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'https:' || /^(?:[^.]+\.)?localhost$|^127\.0\.0\.1$|^\[::1\]$/.test(url?.hostname ?? '')
}

export type ResolvedOidcOptions = Readonly<z.output<typeof OidcOptionsSchema>>

/** @throws {TypeError} that names the option and what to write there. */
export function resolveOidcOptions(options: OidcOptions): ResolvedOidcOptions {
  return Object.freeze(parseOptions(OidcOptionsSchema, 'oidc', options))
}

/** The options that `mfa()` gets for a page of the provider. */
export function pageOptionsOf(options: ResolvedOidcOptions): PageOptions {
  const { service: _service, issuer: _issuer, trustProxy: _trustProxy, ...page } = options
  return page
}
