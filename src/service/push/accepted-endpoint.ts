import { isIP } from 'node:net'

/** The push services of the browsers there are. */
export const knownPushHosts: readonly string[] = [
  'fcm.googleapis.com', // Chrome, Edge on Android, Opera, Samsung Internet
  'updates.push.services.mozilla.com', // Firefox
  '*.push.apple.com', // Safari
  '*.notify.windows.com', // Edge
]

/**
 * Whether messages are sent there. A device names the address, and may be anybody's: of what this service can reach, it
 * may choose among push services only.
 *
 * @param hosts Names; `*.` before one stands for anything that ends with it.
 */
export function isAcceptedEndpoint(endpoint: string, hosts: readonly string[]): boolean {
  const url = URL.parse(endpoint)
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') return false
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return false
  return hosts.some((host) => (host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host))
}
