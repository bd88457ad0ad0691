import { Option } from 'commander'

import type { Logger } from '../../service/engine/base/logger.ts'
import type { TrustProxy } from '../../service/engine/http/trust-proxy.ts'
import type { Service } from '../../service/service.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { oidcFromEnv } from './settings-from-env.ts'

export interface OidcSettings {
  readonly oidc: boolean
  readonly oidcIssuer?: string
}

/** The options of `serve` that make the service an OpenID provider. */
export const oidcOptions = (): Option[] => [
  new Option(
    '--oidc',
    'be an OpenID provider for the clients of `second-factor oidc client`, at /oidc below the issuer (also by MFA_OIDC=true)',
  ).default(false),
  new Option(
    '--oidc-issuer <url>',
    'issuer as clients know it, such as https://id.example (default: the origin of --authenticator-url, otherwise localhost)',
  ).env('MFA_OIDC_ISSUER'),
]

interface ProviderSettings extends OidcSettings {
  readonly port: number
  readonly authenticatorUrl?: string
  readonly trustProxy?: TrustProxy
  /** Whether the service listens with TLS. */
  readonly secure: boolean
}

export interface ServedProvider {
  readonly issuer: string
  /** Serves the provider, and everything else as the service does. */
  readonly listener: Service['listener']
  close(): void
}

/**
 * Puts the provider in front of the service. Its code is loaded only with the option.
 *
 * @returns undefined without the option.
 * @throws {Failure} if the issuer is not known; {TypeError} if it is invalid; {SetupError} if a package is missing.
 */
export async function openOidc(
  service: Service,
  settings: ProviderSettings,
  logger: Logger,
): Promise<ServedProvider | undefined> {
  if (!settings.oidc && !oidcFromEnv(process.env)) {
    // An empty variable is one that is not set.
    if (!settings.oidcIssuer) return undefined
    throw new Failure('--oidc-issuer needs --oidc.', exitCode.usage)
  }
  const issuer = issuerOf(settings)
  const [{ oidc }, { loadPackages }] = await Promise.all([
    import('../../oidc/oidc.ts'),
    import('../../oidc/packages.ts'),
  ])
  // It would miss them only with the first request of a person.
  await loadPackages()
  const handler = oidc({
    service,
    issuer,
    authenticatorUrl: settings.authenticatorUrl || authenticatorBelow(issuer),
    trustProxy: settings.trustProxy,
    logger: {
      info: (message) => logger.info({}, message),
      warn: (message) => logger.warn({}, message),
      error: (message) => logger.error({}, message),
    },
  })
  return {
    issuer,
    listener: (req, res) =>
      handler(req, res, (error) => {
        if (error === undefined) return service.listener(req, res)
        logger.error({ err: error }, 'the OpenID provider failed')
        if (!res.headersSent) res.writeHead(503, { 'Retry-After': '5', 'Cache-Control': 'no-store' })
        res.end()
      }),
    close: () => handler.close(),
  }
}

/** @returns undefined below an issuer that is refused: the message would name an address that nobody wrote. */
const authenticatorBelow = (issuer: string): string | undefined =>
  /^https?:\/\/[^?#]*[^/?#]$/.test(issuer) ? `${issuer}/authenticator` : undefined

function issuerOf({ oidcIssuer, authenticatorUrl, port, secure }: ProviderSettings): string {
  if (oidcIssuer) return oidcIssuer
  const known = authenticatorUrl ? URL.parse(authenticatorUrl)?.origin : undefined
  if (known !== undefined) return known
  if (port !== 0) return `${secure ? 'https' : 'http'}://localhost:${port}`
  throw new Failure('--oidc needs --oidc-issuer with --port 0: clients have to know the issuer.', exitCode.usage)
}
