import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A proxy in front of several nodes that does what `deploy/nginx.conf` tells nginx to do. */
export interface RetryingProxy {
  readonly origin: string
  /** How many requests went to another node, by why. */
  readonly retries: { refused: number; failed: number }
  close(): Promise<void>
}

/**
 * Keeps connections to the nodes alive, takes the nodes in turn, and sends a request that fails or is answered 503 to the
 * next one (`proxy_next_upstream error timeout http_503 non_idempotent`).
 *
 * @param idle How long it keeps an idle connection, milliseconds (`keepalive_timeout`).
 */
export async function startRetryingProxy(ports: readonly number[], idle: number): Promise<RetryingProxy> {
  const agent = new Agent({ keepAlive: true, timeout: idle })
  const retries = { refused: 0, failed: 0 }
  let turn = 0

  async function forward(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req)
    turn += 1
    const firstIndex = turn
    for (let tried = 0; tried < ports.length && !res.destroyed; tried += 1) {
      const answer = await ask(req, { body, port: ports[(firstIndex + tried) % ports.length] ?? 0, signalOf: res })
      const isLast = tried === ports.length - 1
      if (answer === undefined) retries.failed += 1
      else if (answer.statusCode === 503 && !isLast) {
        answer.resume()
        retries.refused += 1
      } else {
        res.writeHead(answer.statusCode ?? 502, withoutHop(answer.headers))
        // Pieces of a stream are passed on as they come.
        res.flushHeaders()
        return void answer.on('error', () => res.destroy()).pipe(res)
      }
    }
    res.writeHead(502).end()
  }

  interface Attempt {
    readonly body: Buffer
    readonly port: number
    readonly signalOf: ServerResponse
  }

  /** Undefined where there is no answer. */
  function ask({ method, url, headers }: IncomingMessage, { body, port, signalOf }: Attempt) {
    return new Promise<IncomingMessage | undefined>((resolve) => {
      const { host = '' } = headers
      const sentHeaders = { ...withoutHop(headers), host, 'content-length': String(body.length) }
      const upstream = request({ host: '127.0.0.1', port, method, path: url, headers: sentHeaders, agent })
      upstream.on('response', resolve).on('error', () => resolve(undefined))
      // A timeout of the agent is for idle connections, not for answers that are held.
      upstream.setTimeout(0)
      signalOf.once('close', () => signalOf.writableFinished || upstream.destroy())
      upstream.end(body)
    })
  }

  const server = createServer((req, res) => void forward(req, res).catch(() => res.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    retries,
    async close() {
      server.closeAllConnections()
      server.close()
      agent.destroy()
      await once(server, 'close')
    },
  }
}

/** What belongs to one connection alone (RFC 9110 section 7.6.1). */
function withoutHop(headers: IncomingMessage['headers']) {
  const { connection: _connection, 'keep-alive': _keepAlive, 'transfer-encoding': _encoding, ...rest } = headers
  return rest
}
