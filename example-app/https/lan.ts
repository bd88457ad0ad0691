import type { networkInterfaces } from 'node:os'

/** Interfaces of containers, virtual machines and tunnels, which a phone in the room cannot reach. */
const virtual = /^(docker|br-|veth|virbr|vmnet|vboxnet|vEthernet|utun|tun|tap|wg|tailscale|zt)/i

/** This computer's IPv4 addresses in its networks, sorted by how likely a phone can reach them. */
export function lanAddresses(interfaces: ReturnType<typeof networkInterfaces>): readonly string[] {
  const ranked = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !isLinkLocal(address))
      .map(({ address }) => ({ address, rank: virtual.test(name) ? 1 : 0 })),
  )
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ address }) => address)
}

/** An address that the computer assigned to itself (RFC 3927). */
const isLinkLocal = (address: string) => address.startsWith('169.254.')

/** The name of this computer in the network (RFC 6762); undefined where it is not valid in a certificate. */
export function localName(hostname: string): string | undefined {
  const name = hostname.toLowerCase().replace(/\..*$/, '')
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name) && name !== 'localhost' ? `${name}.local` : undefined
}
