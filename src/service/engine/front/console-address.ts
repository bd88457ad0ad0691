import { z } from 'zod'

import { parseIpAddress } from '../../../contract/ip-address.ts'
import { isPageOrigin } from '../../../contract/relying-party.ts'

/** The address of the console. */
export interface ConsoleAddress {
  /** An origin such as `https://console.example.com`. */
  readonly origin: string
  /** The host with its port, unless that is the default one, as browsers send it. */
  readonly host: string
  /** The relying party: the host name alone. */
  readonly rpId: string
}

/** The origin of the console. Browsers use passkeys neither on IP addresses nor without TLS, except on localhost. */
export const ConsoleUrl = z
  .string()
  .transform((text) => text.replace(/\/$/, ''))
  .refine(
    (text) => !URL.canParse(text) || parseIpAddress(new URL(text).hostname) === undefined,
    'must have a host name: browsers use no passkeys on IP addresses, so the console needs a name with TLS, or localhost',
  )
  .refine(isPageOrigin, 'must be an origin such as https://console.example.com, or http://localhost:8787')

export function consoleAddress(origin: string): ConsoleAddress {
  const { host, hostname } = new URL(origin)
  return { origin, host, rpId: hostname }
}

/**
 * The address of the same port by IP on this machine: requests there are redirected, because browsers use no passkeys on IP
 * addresses.
 */
export function isLoopbackOf({ host, rpId }: ConsoleAddress, requested: string | undefined): boolean {
  if (rpId !== 'localhost') return false
  const port = host.slice(rpId.length)
  return requested === `127.0.0.1${port}` || requested === `[::1]${port}`
}
