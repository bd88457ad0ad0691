import { request } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

export interface ProxyOptions {
  /** The path prefix of the app, which the proxy strips. */
  readonly prefix: string
  /** The port of the app. */
  readonly port: () => number
  /** Starts a timer, milliseconds; the proxy cuts responses that have not ended by then. */
  readonly after?: (milliseconds: number, callback: () => void) => () => void
}

/** The `proxy_read_timeout` of nginx, ms. */
const patience = 60_000

/** The worst kind of reverse proxy: it strips a prefix, and buffers each response until it is complete. */
export function createBufferingProxy({ prefix, port, after }: ProxyOptions): RequestListener {
  return (req, res) => {
    const { method, url = '' } = req
    if (!url.startsWith(`${prefix}/`)) {
      res.writeHead(404).end('not below the prefix')
      return
    }
    const path = url.slice(prefix.length)
    const upstream = request({ port: port(), host: '127.0.0.1', path, method, headers: forwarded(req) })
    const cancel = after?.(patience, () => upstream.destroy())
    upstream.on('response', (answer) => void collect(answer, res).catch(() => gone(res)))
    upstream.on('error', () => gone(res))
    res.on('close', () => {
      cancel?.()
      upstream.destroy()
    })
    req.pipe(upstream)
  }
}

/** The app is reached under another Host, as with nginx's defaults. */
function forwarded(req: IncomingMessage) {
  return {
    ...req.headers,
    host: 'app.internal',
    'x-forwarded-for': req.socket.remoteAddress,
    'x-forwarded-host': req.headers.host,
    'x-forwarded-proto': 'http',
  }
}

async function collect(answer: IncomingMessage, res: ServerResponse): Promise<void> {
  const { 'transfer-encoding': _chunked, ...headers } = answer.headers
  const body = Buffer.concat(await answer.toArray())
  res.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': body.length }).end(body)
}

function gone(res: ServerResponse): void {
  if (!res.headersSent) res.writeHead(504).end('the app did not answer')
}
