import { createServer } from 'node:net'
import type { AddressInfo, ListenOptions, Server } from 'node:net'
import { Server as SecureServer } from 'node:tls'

/** The address that a server listens on. */
export interface Address {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /** File descriptor of a listening socket that another process holds, such as systemd; used instead of host and port. */
  readonly fd?: number | undefined
}

/**
 * How many new connections may wait to be accepted. Linux drops those beyond it, and their callers try again only after 1, 3
 * and 7 seconds. Linux itself allows no more than `net.core.somaxconn` (4,096 by default); Node's own default is 511.
 */
const backlog = 4_096

/**
 * Node accepts one connection from each listening socket in a turn of the event loop, and turns are long under load. With one
 * socket, callers of an overloaded service wait in the queue of the system for seconds, where the service cannot refuse them.
 */
const socketsPerPort = 16

/**
 * Opens the sockets of a server. On Linux several share the port, and the system distributes new connections among them
 * (`SO_REUSEPORT`, socket(7)). All their connections belong to the server.
 *
 * @returns all that listen; the first one is the server.
 * @throws {Error} where the address cannot be had.
 */
export async function openSockets(server: Server, { host, port, fd }: Address): Promise<readonly Server[]> {
  if (fd !== undefined) return [await open(server, { fd, backlog })]
  if (process.platform !== 'linux') return [await open(server, { host, port, backlog })]
  if (port !== 0) await requireFree({ host, port })
  await open(server, { host, port, backlog, reusePort: true })
  const address = server.address() as AddressInfo
  const otherServers = Array.from({ length: socketsPerPort - 1 }, () => acceptFor(server))
  await Promise.all(
    otherServers.map((other) => open(other, { host: address.address, port: address.port, backlog, reusePort: true })),
  )
  return [server, ...otherServers]
}

/** Two services of one user could otherwise share a port by mistake. */
async function requireFree(address: ListenOptions): Promise<void> {
  const probe = await open(createServer(), address)
  await new Promise((resolve) => void probe.close(resolve))
}

/** Gives the server the options that Node's own servers have. */
function acceptFor(server: Server): Server {
  const options = { allowHalfOpen: !(server instanceof SecureServer), noDelay: true }
  return createServer(options, (connection) => server.emit('connection', connection))
}

function open(server: Server, options: ListenOptions & { readonly fd?: number }): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      // Later errors belong to single connections, which Node ends by itself.
      server.off('error', reject).on('error', () => {})
      resolve(server)
    })
  })
}
