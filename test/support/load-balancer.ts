import { Agent, createServer, request } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface LoadBalancer {
  readonly url: string
  readonly close: () => Promise<void>
}

/**
 * Behaves like nginx in front of several nodes: uses them in turn, keeps connections alive, and tries the next node when one
 * refuses the connection, or breaks it before it responds to an idempotent request.
 * @param nodes Returns the present addresses, such as `http://127.0.0.1:8787`.
 */
export async function startLoadBalancer(nodes: () => readonly string[]): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  const server = createServer((req, res) => {
    turn += 1
    const currentNodes = nodes()
    const order = currentNodes.map((_, index) => currentNodes[(turn + index) % currentNodes.length] ?? '')
    void buffer(req).then(
      (body) => pass({ req, res, body, agent }, order),
      () => res.destroy(),
    )
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

interface Passed {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly body: Buffer
  readonly agent: Agent
}

function pass({ req, res, body, agent }: Passed, [node, ...otherNodes]: readonly string[]): void {
  if (node === undefined) return void res.writeHead(502).end('no node answers')
  const { method, headers, url = '/' } = req
  const upstream = request(node + url, { method, headers, agent }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(res)
    answer.on('error', () => res.destroy())
  })
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    if (res.headersSent) {
      res.destroy()
      return
    }
    const mayRetry = error.code === 'ECONNREFUSED' || method === 'GET' || method === 'HEAD'
    pass({ req, res, body, agent }, mayRetry ? otherNodes : [])
  })
  res.on('close', () => upstream.destroy())
  upstream.end(body)
}
