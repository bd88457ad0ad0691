import { z } from 'zod'

/** More than any address with brackets, quotes, zone and port needs; UTF-16 code units. */
const maxLength = 128

/**
 * Parses an IP address as proxies and apps write it: with a port, brackets, a zone or quotes. In a list, such as the value
 * of `X-Forwarded-For`, the last entry counts: the proxy appended it, and the browser may have sent everything before it.
 *
 * @returns the bare address, an IPv4-mapped IPv6 address as IPv4 (RFC 4291 section 2.5.5.2); undefined for anything
 * that is not an address, such as `unknown` (RFC 7239 section 6.2).
 */
export function parseIpAddress(text: string): string | undefined {
  const last = text.slice(text.lastIndexOf(',') + 1).trim()
  if (last.length > maxLength) return undefined
  const entry = last.replace(/^for=/i, '').replace(/^"(.*)"$/, '$1')
  const [, bracketed] = /^\[([^[\]]*)\](?::\d{1,5})?$/.exec(entry) ?? []
  if (bracketed !== undefined) return ipv6(bracketed)
  const [, withPort] = /^([\d.]+):\d{1,5}$/.exec(entry) ?? []
  return ipv4(withPort ?? entry) ?? ipv6(entry)
}

const Ipv4 = z.ipv4()
const Ipv6 = z.ipv6()

const ipv4 = (text: string): string | undefined => (Ipv4.safeParse(text).success ? text : undefined)

function ipv6(text: string): string | undefined {
  // A zone is an interface of the machine that wrote it (RFC 4007 section 11).
  const [bare = ''] = text.split('%', 1)
  if (!Ipv6.safeParse(bare).success) return undefined
  const groups = ipv6Groups(bare)
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff ? dottedIpv4(groups.slice(6)) : bare
}

/** The eight groups of 16 bits of a valid IPv6 address without a zone. */
export function ipv6Groups(address: string): number[] {
  const [head = '', tail] = withoutDots(address).split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16))
}

/** Rewrites a dotted IPv4 end as two groups. */
function withoutDots(address: string): string {
  return address.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_all, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
}

/** @param groups Two of 16 bits. */
export function dottedIpv4(groups: readonly number[]): string {
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join('.')
}
