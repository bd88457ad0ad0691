import type { Server } from 'node:http'

/** A server, and where it is to listen. */
export interface Door {
  readonly server: Server
  readonly port: number
}

export async function listen({ server, port }: Door, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(inWords(error, host, port)))
    server.listen(port, host, resolve)
  })
}

function inWords(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    const other = `npm start -- --port ${port < 60_000 ? port + 100 : port - 100}`
    return new Error(`port ${port} is taken. Stop what uses it, or choose another: ${other}`, { cause: error })
  }
  if (error.code === 'EADDRNOTAVAIL') return new Error(`${host} is no address of this computer`, { cause: error })
  return error
}

/** No new requests; the service ends those that wait; what then still hangs is cut. */
export async function closeDoors(doors: readonly Door[], closeService: () => Promise<void> | undefined): Promise<void> {
  const closed = doors.map(
    ({ server }) =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
      }),
  )
  await closeService()
  const cut = setTimeout(() => doors.forEach(({ server }) => server.closeAllConnections()), 1000)
  await Promise.all(closed)
  clearTimeout(cut)
}
