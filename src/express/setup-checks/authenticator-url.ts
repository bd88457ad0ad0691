import { SetupError } from '../../service-handle.ts'
import { isLoopback } from './loopback.ts'

interface Addresses {
  readonly authenticatorUrl: string | undefined
  readonly publicUrl: string | undefined
  /** Of the REST interface of a service elsewhere; undefined for an embedded one. */
  readonly serviceUrl: string | undefined
}

interface Circumstances {
  readonly production: boolean
  /** Whether the service is known to have an authenticator of its own, whose address nobody can derive. */
  readonly foreign: boolean
}

/**
 * Checks where the authenticator will be, as people open it on their phone.
 *
 * @throws {SetupError} that names the option to write.
 */
export function checkAuthenticatorUrl(addresses: Addresses, { production, foreign }: Circumstances): void {
  const { authenticatorUrl, publicUrl, serviceUrl } = addresses
  if (authenticatorUrl !== undefined) {
    if (production) requirePublic(authenticatorUrl, 'authenticatorUrl')
  } else if (serviceUrl === undefined) {
    if (production && publicUrl !== undefined) requirePublic(publicUrl, 'publicUrl, where the authenticator is,')
  } else if (!foreign) {
    requireReachable(serviceUrl)
    if (production) requirePublic(serviceUrl, 'the service’s address, where the authenticator is,')
  }
}

/** An address from the environment may be right for this process, and still nothing for a phone. */
function requireReachable(serviceUrl: string): void {
  const url = new URL(serviceUrl)
  if (!isLoopback(url)) return
  throw new SetupError(
    `mfa: authenticatorUrl is required, because the service’s address ${url.origin} is this machine’s own, which no ` +
      "phone can open: write the address that people open, such as authenticatorUrl: 'https://mfa.example'. While you " +
      `develop, and open the authenticator on this machine: authenticatorUrl: '${url.origin}'`,
  )
}

/** Browsers give keys to pages of https alone. */
function requirePublic(address: string, what: string): void {
  const url = new URL(address)
  const why = isLoopback(url)
    ? 'an address that no phone can open'
    : url.protocol === 'http:'
      ? 'plain http'
      : undefined
  if (why === undefined) return
  throw new SetupError(
    `mfa: ${what} is ${why} (${url.origin}): in production write the https address of the authenticator, such as ` +
      "authenticatorUrl: 'https://mfa.example'",
  )
}
