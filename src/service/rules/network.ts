import { isIPv6 } from 'node:net'

/** What one person cannot easily change: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [plain = ''] = address.split('%')
  return isIPv6(plain) ? `${firstGroups(plain).join(':')}::/64` : address
}

function firstGroups(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  // What "::" stands for. A dotted end counts for two groups, but is never among the first four.
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after].slice(0, 4).map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
}
