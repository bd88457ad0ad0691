import { createServer, request as httpRequest } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface Behind {
  /** The port of the web server. */
  readonly port: number
  /** The name that its site has. */
  readonly host: string
  /** The certificate of its authority, PEM; absent where it does not speak TLS. */
  readonly ca?: string
}

export interface SiteBridge {
  readonly url: string
  close(): void
}

/** Lets a client of tests, which knows a site by a port of this machine, use one that has a name, and may have TLS. */
export async function bridgeTo(behind: Behind): Promise<SiteBridge> {
  const server = createServer((req, res) => void forward(behind, req, res))
  const port = await listenLocally(server)
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export async function listenLocally(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function forward({ port, host, ca }: Behind, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = Buffer.concat(await req.toArray())
  const { url: path, method, headers } = req
  const options = { host: '127.0.0.1', port, path, method, headers: { ...headers, host } }
  const send = (answered: (answer: IncomingMessage) => void) =>
    ca === undefined ? httpRequest(options, answered) : httpsRequest({ ...options, servername: host, ca }, answered)
  send((answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(res)
  })
    .on('error', () => res.writeHead(502).end())
    .end(body)
}
