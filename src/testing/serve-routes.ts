import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { ServiceHandle } from '../service-handle.ts'

/** Serves the device routes on a separate port, independent of where the app under test mounts them. */
export async function serveRoutes(routes: ServiceHandle['routes']): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((req, res) => routes(req, res, () => res.writeHead(404).end()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A test that forgets to close it still ends.
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
