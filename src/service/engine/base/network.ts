import { dottedIpv4, ipv6Groups, parseIpAddress } from '../../../contract/ip-address.ts'

/** An IPv4 address, or the first 64 bits of an IPv6 address, which one person cannot easily change. */
export function networkOf(address: string | undefined): string {
  const parsed = address === undefined ? undefined : parseIpAddress(address)
  // Text that is not an address must not be its own key: its author could choose any number of keys.
  if (parsed === undefined) return 'unknown'
  if (!parsed.includes(':')) return parsed
  const groups = ipv6Groups(parsed)
  const embedded = embeddedIpv4(groups)
  if (embedded !== undefined) return embedded
  const prefix = groups.slice(0, 4)
  return `${prefix.map((group) => group.toString(16)).join(':')}::/64`
}

/**
 * The IPv4 address embedded in an IPv6 address. Behind a translator (RFC 6052) all of IPv4 is in one network and would share
 * one limit; with 6to4 (RFC 3056) one IPv4 address has 65,536 networks, and would have as many limits.
 */
function embeddedIpv4(groups: readonly number[]): string | undefined {
  const [first, second, ...rest] = groups
  if (first === 0x2002) return dottedIpv4(groups.slice(1, 3))
  const translated = first === 0x64 && second === 0xff9b && rest.slice(0, 4).every((group) => group === 0)
  return translated ? dottedIpv4(groups.slice(6)) : undefined
}
