import { request } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'

import express from 'express'

export interface ForwardingOptions {
  /** Of the files of a single-page app. */
  readonly folder: string
  /** The origin of the server behind it. */
  readonly to: string
  /** Paths that are forwarded, with all below them. */
  readonly forwarded: readonly string[]
}

/**
 * As nginx with `try_files $uri /index.html` and a `location` with `proxy_pass` for each path: the server behind it is called by
 * its own name (`proxy_set_header Host $proxy_host`, the default), and everything else is the page.
 */
export function createForwardingServer({ folder, to, forwarded }: ForwardingOptions): RequestListener {
  const files = express()
  files.use(express.static(folder))
  files.use((_req, res) => res.sendFile(join(folder, 'index.html')))
  return (req, res) => {
    const { url = '/' } = req
    if (forwarded.some((path) => url.startsWith(path))) forward(req, res, new URL(url, to))
    else files(req, res)
  }
}

function forward(req: IncomingMessage, res: ServerResponse, target: URL): void {
  const upstream = request(target, { method: req.method, headers: { ...req.headers, host: target.host } })
  upstream.on('response', (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    res.flushHeaders()
    answer.pipe(res)
  })
  upstream.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()))
  res.on('close', () => upstream.destroy())
  req.pipe(upstream)
}
