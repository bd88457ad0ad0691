import { isIP, SocketAddress } from 'node:net'

import { Extension, X509Certificate } from '@peculiar/x509'

/**
 * Private networks, RFC 1918 and RFC 4193, and this computer itself. A laptop gets another of these addresses in each place,
 * and phones should not have to trust it again for that.
 */
const privateNetworks: readonly Network[] = [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::1', 128],
  ['fc00::', 7],
]

type Network = readonly [address: string, prefix: number]

/** The names and addresses that an authority may sign: these, and all private addresses. */
export interface Constraints {
  readonly names: readonly string[]
  readonly networks: readonly Network[]
}

/** @param names The host names and addresses to serve. */
export function constraintsFor(names: readonly string[]): Constraints {
  const addresses = names.filter((name) => isIP(name) !== 0)
  const others = addresses.filter((address) => !privateNetworks.some((network) => contains(network, address)))
  return {
    names: names.filter((name) => isIP(name) === 0),
    networks: [...privateNetworks, ...others.map((address) => [address, isIP(address) === 4 ? 32 : 128] as const)],
  }
}

/** The extension of RFC 5280 section 4.2.1.10, which requires it to be critical. */
export function nameConstraints(constraints: Constraints): Extension {
  return new Extension(
    oid,
    true,
    new Uint8Array(der(tags.sequence, der(tags.permitted, Buffer.concat(subtreesOf(constraints))))),
  )
}

function subtreesOf({ names, networks }: Constraints): readonly Buffer[] {
  const bases = [
    // A subtree also covers subdomains, which none of these names has.
    ...names.map((name) => der(tags.dnsName, Buffer.from(name, 'ascii'))),
    ...networks.map((network) => der(tags.ipAddress, withMask(network))),
  ]
  return bases.map((base) => der(tags.sequence, base))
}

/** Whether an authority may sign these names. An authority without constraints could sign any name, and is not accepted. */
export function permits(authority: string, names: readonly string[]): boolean {
  const extension = new X509Certificate(authority).getExtension(oid)
  if (!extension) return false
  const value = Buffer.from(extension.value)
  return subtreesOf(constraintsFor(names)).every((subtree) => value.includes(subtree))
}

const oid = '2.5.29.30'

/** X.690 section 8: the universal SEQUENCE, and the context-specific tags of NameConstraints and GeneralName. */
const tags = { sequence: 0x30, permitted: 0xa0, dnsName: 0x82, ipAddress: 0x87 } as const

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

/** The bytes of an address and its mask. */
function withMask([address, prefix]: Network): Buffer {
  const bytes = bytesOf(address)
  const mask = bytes.map((_, index) => 0xff & (0xff00 >> Math.min(8, Math.max(0, prefix - 8 * index))))
  return Buffer.from([...bytes, ...mask])
}

function contains([network, prefix]: Network, address: string): boolean {
  const [a, b] = [bitsOf(network), bitsOf(address)]
  return a.length === b.length && a.slice(0, prefix) === b.slice(0, prefix)
}

const bitsOf = (address: string): string =>
  bytesOf(address)
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')

function bytesOf(address: string): number[] {
  if (isIP(address) === 4) return address.split('.').map(Number)
  // Node normalizes IPv6 addresses, with at most one `::`.
  const [head = '', tail = ''] = new SocketAddress({ address, family: 'ipv6' }).address.split('::')
  const groups = (part: string) => part.split(':').filter((group) => group !== '')
  const [first, last] = [groups(head), groups(tail)]
  const all = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
  return all.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff])
}
