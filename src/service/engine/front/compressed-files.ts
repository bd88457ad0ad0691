import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress, gzip } from 'node:zlib'

import type { Request, RequestHandler, Response } from 'express'

import { bestEncoding } from '../../../ground/accept-encoding.ts'

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** A form that the build does not make. */
type Converted = 'gzip' | 'identity'

/**
 * Serves scripts and styles, which the build makes in Brotli alone. For callers who accept no Brotli, such as browsers over http, they
 * are converted; those under `assets/`, which never change, once.
 *
 * @param folder The built files; ends with a slash.
 * @param setCaching Sets the header `Cache-Control` for a path in the folder.
 */
export function serveCompressed(folder: string, setCaching: (res: Response, path: string) => void): RequestHandler {
  const cache = new Map<string, Promise<Buffer>>()

  function contentOf(path: string, encoding: Converted): Promise<Buffer> {
    if (!path.startsWith('assets/')) return convert(`${folder}${path}.br`, encoding)
    const key = `${encoding} ${path}`
    const cached = cache.get(key)
    if (cached) return cached
    const converted = convert(`${folder}${path}.br`, encoding)
    cache.set(key, converted)
    // The next caller tries again.
    converted.catch(() => cache.delete(key))
    return converted
  }

  async function sendConverted(req: Request, res: Response, path: string, encoding: Converted): Promise<void> {
    const content = await contentOf(path, encoding)
    // Not before: an error has another content.
    if (encoding === 'gzip') res.setHeader('Content-Encoding', encoding)
    setCaching(res, path)
    send(req, res, content)
  }

  return (req, res, next) => {
    const [, path = '', type = ''] = /^\/((?:assets\/)?[\w-]+\.(js|css))(?=\?|$)/.exec(req.url) ?? []
    if (!existsSync(`${folder}${path}.br`)) return next()
    res.appendHeader('Vary', 'Accept-Encoding')
    res.setHeader('Content-Type', types[type] ?? '')
    const encoding = bestEncoding(req.headers['accept-encoding']?.toString())
    if (encoding === 'br') {
      res.setHeader('Content-Encoding', encoding)
      req.url = req.url.replace(path, `${path}.br`)
      return next()
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') return next()
    sendConverted(req, res, path, encoding).catch(next)
  }
}

async function convert(file: string, encoding: Converted): Promise<Buffer> {
  const plain = await promisify(brotliDecompress)(await readFile(file))
  return encoding === 'gzip' ? promisify(gzip)(plain, { level: 9 }) : plain
}

/** Not `res.send()`, which Express adds to responses: outside of an Express app there is none. */
function send(req: Request, res: Response, content: Buffer): void {
  const etag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`
  res.setHeader('ETag', etag)
  if (req.headers['if-none-match'] === etag) {
    res.removeHeader('Content-Type')
    res.writeHead(304).end()
    return
  }
  res.setHeader('Content-Length', content.length)
  res.end(req.method === 'HEAD' ? undefined : content)
}
