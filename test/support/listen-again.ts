import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'

let usualPort = 0

/**
 * Listens on the port of the test before, if it is free: then the browser of the worker has compiled the scripts of this
 * origin, and needs no new process for it.
 */
export async function listenAgain(server: Server): Promise<void> {
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(usualPort).catch(() => listen(0))
  usualPort ||= (server.address() as AddressInfo).port
}

/** Ends all connections of a server, and waits until the clients of this process have noticed it. */
export async function closeForNext(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  // Otherwise `fetch` would send the first request to the next server on a connection that has ended.
  await setImmediate()
  await setImmediate()
}
