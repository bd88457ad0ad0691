import { request } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'

import express from 'express'

export interface ForwardingOptions {
  /** The folder of a single-page app. */
  readonly folder: string
  /** The origin of the server behind it. */
  readonly to: string
  /** Matches the paths that are forwarded. */
  readonly forwarded: RegExp
  /** Headers that replace those of the browser; by default the name of the server behind it, as nginx does without `proxy_set_header`. */
  readonly headers?: (req: IncomingMessage) => Readonly<Record<string, string>>
}

/** Behaves like nginx with `try_files $uri /index.html` and a `location` with `proxy_pass`. */
export function createForwardingServer(options: ForwardingOptions): RequestListener {
  const { folder, to, forwarded, headers = () => ({ host: new URL(to).host }) } = options
  const files = express()
  files.use(express.static(folder))
  files.use((_req, res) => res.sendFile(join(folder, 'index.html')))
  return (req, res) => {
    const { url = '/' } = req
    if (forwarded.test(url.replace(/\?.*/s, ''))) forward(req, res, new URL(url, to), headers(req))
    else files(req, res)
  }
}

function forward(
  req: IncomingMessage,
  res: ServerResponse,
  target: URL,
  headers: Readonly<Record<string, string>>,
): void {
  const upstream = request(target, { method: req.method, headers: { ...req.headers, ...headers } })
  upstream.on('response', (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    res.flushHeaders()
    answer.pipe(res)
  })
  upstream.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()))
  res.on('close', () => upstream.destroy())
  req.pipe(upstream)
}
