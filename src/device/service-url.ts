import { ActivationCode } from '../contract/tokens.ts'

/** Brings a service's public address to one form. @throws {TypeError} when it is no http or https address. */
export function serviceUrl(address: string | URL): string {
  const url = httpUrl(address)
  if (!url) throw new TypeError('the address must begin with https:// or http://')
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** What an activation link carries: `<service>/authenticator/#code=<code>`. The fragment never travels to a server. */
export interface ActivationLink {
  readonly serviceUrl: string
  readonly code: string
}

/** @param address Of the service or of its authenticator. @throws {TypeError} when it is no http or https address. */
export function activationLink(address: string, code: string): string {
  return `${serviceUrl(address).replace(/\/authenticator$/, '')}/authenticator/#code=${code}`
}

/** Reads an activation link; undefined when the text is none. */
export function parseActivationLink(link: string | URL): ActivationLink | undefined {
  const url = httpUrl(link)
  const service = url && /^(.*)\/authenticator\/?$/.exec(url.origin + url.pathname)?.[1]
  const code = url && parseActivationCode(new URLSearchParams(url.hash.slice(1)).get('code') ?? '')
  return service && code ? { serviceUrl: serviceUrl(service), code } : undefined
}

/** Brings a typed code to the form it was issued in; undefined when it cannot be one. */
export function parseActivationCode(text: string): string | undefined {
  return ActivationCode.safeParse(text).data
}

function httpUrl(text: string | URL): URL | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
