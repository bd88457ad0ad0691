import { isIP } from 'node:net'

/** The push services of common browsers. */
export const knownPushHosts: readonly string[] = [
  'fcm.googleapis.com', // Chrome, Edge on Android, Opera, Samsung Internet
  'updates.push.services.mozilla.com', // Firefox
  '*.push.apple.com', // Safari
  '*.notify.windows.com', // Edge
]

/**
 * The push service that an endpoint belongs to, if messages may be sent there. The endpoint comes from a device, which may be
 * an attacker's: it must not make this service connect to anything but push services.
 *
 * @param hosts Names; `*.` before a name includes everything that ends with it.
 */
export function acceptedHost(endpoint: string, hosts: readonly string[]): string | undefined {
  const url = URL.parse(endpoint)
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') return undefined
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined
  return hosts.find((host) => (host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host))
}
