import { httpUrl, serviceUrl } from '../contract/activation-link.ts'
import { MoveCode } from '../contract/device.ts'
import { ActivationCode } from '../contract/tokens.ts'

/** The parts of an activation link, `<service>/authenticator/#code=<code>`. The fragment is never sent to a server. */
export interface ActivationLink {
  readonly serviceUrl: string
  readonly code: string
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
