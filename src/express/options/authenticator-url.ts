import { SetupError } from '../../service-handle.ts'

interface Addresses {
  readonly authenticatorUrl: string | undefined
  readonly publicUrl: string | undefined
  /** The address of a remote service's REST interface; undefined for an embedded service. */
  readonly serviceUrl: string | undefined
}

interface Circumstances {
  readonly production: boolean
  /** Whether the service has a different authenticator, whose address cannot be derived. */
  readonly foreign: boolean
}

/**
 * Checks the address at which users open the authenticator on their phones.
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

/** A loopback address may work for this process, but not for a phone. */
function requireReachable(serviceUrl: string): void {
  const url = new URL(serviceUrl)
  if (!isLoopback(url)) return
  throw new SetupError(
    `mfa: authenticatorUrl is required, because the service’s address ${url.origin} is this machine’s own, which no ` +
      "phone can open: write the address that people open, such as authenticatorUrl: 'https://mfa.example'. While you " +
      `develop, and open the authenticator on this machine: authenticatorUrl: '${url.origin}'`,
  )
}

/** Browsers give cryptographic keys only to https pages. */
function requirePublic(address: string, setting: string): void {
  const url = new URL(address)
  const reason = isLoopback(url)
    ? 'an address that no phone can open'
    : url.protocol === 'http:'
      ? 'plain http'
      : undefined
  if (reason === undefined) return
  throw new SetupError(
    `mfa: ${setting} is ${reason} (${url.origin}): in production write the https address of the authenticator, such as ` +
      "authenticatorUrl: 'https://mfa.example'",
  )
}

/** Whether an address leads to the machine that opens it, so that a phone cannot reach the app there. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(
    hostname,
  )
}
