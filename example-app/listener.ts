import type { Server } from 'node:http'

/** A server and its port. */
export interface Listener {
  readonly server: Server
  readonly port: number
}

export async function listen({ server, port }: Listener, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)))
    server.listen(port, host, resolve)
  })
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    const other = `npm start -- --port ${port < 60_000 ? port + 100 : port - 100}`
    return new Error(`Port ${port} is in use. Stop the program that uses it, or choose another port: ${other}`, {
      cause: error,
    })
  }
  if (error.code === 'EADDRNOTAVAIL') return new Error(`${host} is not an address of this computer.`, { cause: error })
  return error
}

/** Accepts no new requests, closes the service, which ends waiting requests, and then closes all connections. */
export async function closeListeners(
  listeners: readonly Listener[],
  closeService: () => Promise<void> | undefined,
): Promise<void> {
  const closed = listeners.map(
    ({ server }) =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
      }),
  )
  await closeService()
  const timer = setTimeout(() => listeners.forEach(({ server }) => server.closeAllConnections()), 1000)
  await Promise.all(closed)
  clearTimeout(timer)
}
