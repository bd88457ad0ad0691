import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'

import type { HttpRequest } from '../framework/http-request.ts'
import type { FrameworkResponse } from '../framework/response.ts'
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
export function isAsset(req: HttpRequest, below: string): below is Name {
  return Object.hasOwn(files, below) && (req.method === 'GET' || req.method === 'HEAD')
}

/** Serves one of the files, the same for all users. */
export function serveAsset(req: HttpRequest, res: FrameworkResponse, name: Name, options: AssetOptions): void {
  const encoding = bestEncoding(req.headers['accept-encoding']?.toString())
  const body = encoded(load(name, options), encoding)
  const headers = {
    'Content-Type': files[name].type,
    ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
    Vary: 'Accept-Encoding',
    'Cache-Control': `${sharing(res)}, max-age=31536000, immutable`,
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': String(body.length),
  }
  res.send({ status: 200, headers, body: req.method === 'HEAD' ? undefined : body })
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
function sharing(res: FrameworkResponse): 'public' | 'private' {
  return res.hasCookies ? 'private' : 'public'
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
