import type { networkInterfaces } from 'node:os'

/** What containers, virtual machines and tunnels call theirs: no phone in the room is there. */
const virtual = /^(docker|br-|veth|virbr|vmnet|vboxnet|vEthernet|utun|tun|tap|wg|tailscale|zt)/i

/** This computer's addresses in its networks, those that a phone most likely reaches first. IPv4, which every such network has. */
export function lanAddresses(interfaces: ReturnType<typeof networkInterfaces>): readonly string[] {
  const found = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !isLinkLocal(address))
      .map(({ address }) => ({ address, rank: virtual.test(name) ? 1 : 0 })),
  )
  return found.toSorted((a, b) => a.rank - b.rank).map(({ address }) => address)
}

/** What a computer gives itself where nobody gave it an address (RFC 3927). */
const isLinkLocal = (address: string) => address.startsWith('169.254.')

/** The name by which others in the network find this computer (RFC 6762), where it has one that can stand in a certificate. */
export function localName(hostname: string): string | undefined {
  const name = hostname.toLowerCase().replace(/\..*$/, '')
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name) && name !== 'localhost' ? `${name}.local` : undefined
}
