import { isIP } from 'node:net'

/** The push services of the browsers there are. */
export const knownPushHosts: readonly string[] = [
  'fcm.googleapis.com', // Chrome, Edge on Android, Opera, Samsung Internet
  'updates.push.services.mozilla.com', // Firefox
  '*.push.apple.com', // Safari
  '*.notify.windows.com', // Edge
]

/**
 * Whether messages are sent there, and by which of the names. A device names the address, and may be anybody's: of what
 * this service can reach, it may choose among push services only.
 *
 * @param hosts Names; `*.` before one stands for anything that ends with it.
 */
export function acceptedHost(endpoint: string, hosts: readonly string[]): string | undefined {
  const url = URL.parse(endpoint)
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') return undefined
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined
  return hosts.find((host) => (host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host))
}
