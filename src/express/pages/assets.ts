import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'

import { bestEncoding } from '../../ground/accept-encoding.ts'
import type { Encoding } from '../../ground/accept-encoding.ts'
import { accentStyle } from '../options/accent.ts'
import type { Accent } from '../options/accent.ts'

/** The files of the pages. They never change within a process, and their address contains a hash of the content. */
const files = {
  '/assets/style.css': { type: 'text/css; charset=utf-8', file: new URL('style.css', import.meta.url) },
  '/assets/challenge.js': {
    type: 'text/javascript; charset=utf-8',
    // Built from src/browser; the path is the same from src/ and from dist/.
    file: new URL('../../../dist/browser/challenge.js', import.meta.url),
  },
  '/assets/browser-key.js': {
    type: 'text/javascript; charset=utf-8',
    file: new URL('../../../dist/browser/browser-key.js', import.meta.url),
  },
  '/assets/passkey.js': {
    type: 'text/javascript; charset=utf-8',
    file: new URL('../../../dist/browser/passkey.js', import.meta.url),
  },
} as const

type Name = keyof typeof files

/** The options of the app that change them. */
interface AssetOptions {
  readonly accent?: Accent | undefined
}

interface Asset {
  readonly body: Buffer
  /** Compressed once, by the first request that accepts it: the accent of the app is part of the style. */
  readonly compressed: Map<Encoding, Buffer>
  readonly version: string
}

const loaded = new Map<string, Asset>()

/** The address of a file below the challenge path, including its version. */
export function assetPath(base: string, name: Name, options: AssetOptions): string {
  return `${base}${name}?v=${load(name, options).version}`
}

/** Whether a request is for one of the files. */
export function isAsset(req: IncomingMessage, below: string): below is Name {
  return Object.hasOwn(files, below) && (req.method === 'GET' || req.method === 'HEAD')
}

/** Serves one of the files, the same for all users. */
export function serveAsset(req: IncomingMessage, res: ServerResponse, name: Name, options: AssetOptions): void {
  const encoding = bestEncoding(req.headers['accept-encoding']?.toString())
  const body = encoded(load(name, options), encoding)
  res.setHeader('Content-Type', files[name].type)
  if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding)
  res.appendHeader('Vary', 'Accept-Encoding')
  res.setHeader('Cache-Control', `${sharing(res)}, max-age=31536000, immutable`)
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Content-Length', body.length)
  res.end(req.method === 'HEAD' ? undefined : body)
}

function encoded({ body, compressed }: Asset, encoding: Encoding): Buffer {
  if (encoding === 'identity') return body
  const cached = compressed.get(encoding)
  if (cached) return cached
  const content = encoding === 'br' ? brotliCompressSync(body) : gzipSync(body)
  compressed.set(encoding, content)
  return content
}

/** A shared cache must not hand a cookie that the app sets for this browser to others (RFC 9111 section 7.3). */
function sharing(res: ServerResponse): 'public' | 'private' {
  return res.hasHeader('Set-Cookie') ? 'private' : 'public'
}

/** Styles are sent without their comments. */
function contentOf(name: Name): Buffer {
  const content = readFileSync(files[name].file)
  return name.endsWith('.css') ? Buffer.from(String(content).replaceAll(/\/\*.*?\*\/\n?/gs, '')) : content
}

function load(name: Name, { accent }: AssetOptions): Asset {
  const addition = accent && name === '/assets/style.css' ? accentStyle(accent) : ''
  const key = name + addition
  const cached = loaded.get(key)
  if (cached) return cached
  const body = Buffer.concat([contentOf(name), Buffer.from(addition)])
  const asset: Asset = {
    body,
    compressed: new Map(),
    version: createHash('sha256').update(body).digest('base64url').slice(0, 12),
  }
  loaded.set(key, asset)
  return asset
}
