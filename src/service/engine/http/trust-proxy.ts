import { z } from 'zod'

/** The proxies that are trusted to report a request's address: their number, or their networks. */
export const TrustProxy = z
  .union([z.int().min(0).max(100), z.string(), z.array(z.string())])
  .transform((setting) => (typeof setting === 'string' && /^\d{1,2}$/.test(setting.trim()) ? Number(setting) : setting))
  .refine((setting) => typeof setting === 'number' || networksOf(setting).every(isNetwork), {
    message: 'must be the number of proxies, such as 1, or their networks, such as loopback,10.0.0.0/8,fd00::/8',
  })
  .transform((setting) => (typeof setting === 'number' ? setting : networksOf(setting)))
export type TrustProxy = z.output<typeof TrustProxy>

/** Express's names for networks. */
const namedNetworks: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal'])

const networksOf = (setting: string | readonly string[]): string[] =>
  [setting].flat().flatMap((text) => text.split(',').map((network) => network.trim()))

function isNetwork(network: string): boolean {
  if (namedNetworks.has(network)) return true
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(network) ?? []
  // Must be exact here, although other parsers are lenient.
  if (!z.union([z.ipv4(), z.ipv6()]).safeParse(address).success) return false
  return prefix === undefined || (Number(prefix) >= 1 && Number(prefix) <= (address.includes(':') ? 128 : 32))
}
