/** Normalizes a service's public address. @throws {TypeError} when it is not an http or https address. */
export function serviceUrl(address: string | URL): string {
  const url = httpUrl(address)
  if (!url) throw new TypeError('The address must start with https:// or http://.')
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/**
 * The link that sets up a device. The code is in the fragment, which browsers send to no server.
 * @param address The address of the service or of its authenticator.
 * @throws {TypeError} when it is not an http or https address.
 */
export function activationLink(address: string, code: string): string {
  return `${serviceUrl(address).replace(/\/authenticator$/, '')}/authenticator/#code=${code}`
}

/** @returns undefined for anything but an http or https address. */
export function httpUrl(text: string | URL): URL | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
