import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves on a free port of the loopback interface. */
export async function listen(listener: RequestListener): Promise<{ url: string; close: () => void }> {
  // While the others have their turn, the connections of a load are idle. None is closed at the moment at which its load goes on.
  const server = createServer({ keepAliveTimeout: 0 }, listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Reports to the parent process that the contender is ready. When the parent disconnects, closes it and ends. */
export function ready(message: object, close: () => unknown): void {
  process.send?.(message)
  process.once('disconnect', () => void Promise.resolve(close()).finally(() => process.exit()))
}
