import { MoveCode } from '../contract/device.ts'
import { ActivationCode } from '../contract/tokens.ts'

/** Normalizes a service's public address. @throws {TypeError} when it is not an http or https address. */
export function serviceUrl(address: string | URL): string {
  const url = httpUrl(address)
  if (!url) throw new TypeError('The address must start with https:// or http://.')
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** The parts of an activation link, `<service>/authenticator/#code=<code>`. The fragment is never sent to a server. */
export interface ActivationLink {
  readonly serviceUrl: string
  readonly code: string
}

/**
 * @param address The address of the service or of its authenticator.
 * @throws {TypeError} when it is not an http or https address.
 */
export function activationLink(address: string, code: string): string {
  return `${serviceUrl(address).replace(/\/authenticator$/, '')}/authenticator/#code=${code}`
}

/** The link that a new device opens to take an account over. */
export function moveLink(address: string, code: string): string {
  return `${serviceUrl(address)}/authenticator/#move=${code}`
}

/** Parses an activation link. @returns undefined for any other text. */
export function parseActivationLink(link: string | URL): ActivationLink | undefined {
  return parseLink(link, 'code', parseActivationCode)
}

/** Parses a link of `moveLink`. @returns undefined for any other text. */
export function parseMoveLink(link: string | URL): ActivationLink | undefined {
  return parseLink(link, 'move', (text) => MoveCode.safeParse(text).data)
}

function parseLink(
  link: string | URL,
  name: string,
  parse: (text: string) => string | undefined,
): ActivationLink | undefined {
  const url = httpUrl(link)
  const service = url && /^(.*)\/authenticator\/?$/.exec(url.origin + url.pathname)?.[1]
  const code = url && parse(new URLSearchParams(url.hash.slice(1)).get(name) ?? '')
  return service && code ? { serviceUrl: serviceUrl(service), code } : undefined
}

/** Normalizes a typed code to the form in which it was issued. @returns undefined for an invalid code. */
export function parseActivationCode(text: string): string | undefined {
  return ActivationCode.safeParse(text).data
}

function httpUrl(text: string | URL): URL | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
