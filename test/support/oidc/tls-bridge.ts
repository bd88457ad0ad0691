import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface Behind {
  /** The port of the web server, which speaks TLS. */
  readonly port: number
  /** The name that its site has. */
  readonly host: string
  /** PEM. */
  readonly ca: string
}

export interface TlsBridge {
  readonly url: string
  close(): void
}

/** Lets a client without TLS, which knows the site by a port of this machine, use a site that has a name and TLS. */
export async function bridgeTo(behind: Behind): Promise<TlsBridge> {
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
  const options = { host: '127.0.0.1', servername: host, port, path, method, ca, headers: { ...headers, host } }
  request(options, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(res)
  })
    .on('error', () => res.writeHead(502).end())
    .end(body)
}
