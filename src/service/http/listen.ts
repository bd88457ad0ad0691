import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How long closing waits for answers to be read, milliseconds. */
const patience = 15_000

/** A server that listens. */
export interface Listening {
  readonly host: string
  readonly port: number
  /** Takes no new connections from now on; resolves when the last one has ended. */
  close(): Promise<void>
}

/** @param port 0 for any that is free. Rejects where the address cannot be had. */
export async function listen(listener: RequestListener, address: { host: string; port: number }): Promise<Listening> {
  const server = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, resolve)
  })
  // Later ones belong to single connections, which Node ends by itself.
  server.removeAllListeners('error').on('error', () => {})
  return {
    host: address.host,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        // A connection that has had its answer is not kept for another request.
        server.on('request', (_req, res) => res.setHeader('Connection', 'close'))
        server.close(() => resolve())
        const idle = setInterval(() => server.closeIdleConnections(), 20)
        const late = setTimeout(() => server.closeAllConnections(), patience)
        server.once('close', () => {
          clearInterval(idle)
          clearTimeout(late)
        })
      }),
  }
}
