/** Characters. */
export const longestAddress = 2000

/** The hosts of the user's own machine (RFC 8252 section 7.3). */
const loopback = ['127.0.0.1', '[::1]', 'localhost']

/**
 * Whether a client may be sent back to this address. It is compared character by character later, so nothing in it may mean more than
 * itself (RFC 9700 section 4.1), and no browser may read it otherwise than we do.
 */
export function isRedirectUri(address: string, native: boolean): boolean {
  const url = plainAddress(address)
  if (!url || address.includes('#') || address.includes('*')) return false
  return url.protocol === 'https:' || (native && url.protocol === 'http:' && loopback.includes(url.hostname))
}

export const isSecureAddress = (address: string): boolean => plainAddress(address)?.protocol === 'https:'

/** Whether an address can name an API (RFC 8707 section 2). */
export const isResource = (address: string): boolean => isSecureAddress(address) && !address.includes('#')

/** Whether a client may be told something there: at a name, because an address without one is hardly public. */
export function isNotificationEndpoint(address: string): boolean {
  const { hostname = '' } = plainAddress(address) ?? {}
  return isResource(address) && /\.[a-z][a-z\d-]*$/.test(hostname)
}

/** Parses an address that has one reading: without a user name, and with a host that is written as it is used. */
function plainAddress(address: string): URL | undefined {
  if (address.length > longestAddress || !/^https?:\/\/[!#-;=?-[\]_a-z~]+$/.test(address)) return undefined
  const url = URL.canParse(address) ? new URL(address) : undefined
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/.exec(address) ?? []
  return url && [url.host, `${url.host}:443`].includes(authority.toLowerCase()) ? url : undefined
}
