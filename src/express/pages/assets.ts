import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** The pages' own files. They never change within a process, and their address carries what they hold. */
const files = {
  '/assets/style.css': { type: 'text/css; charset=utf-8', file: new URL('style.css', import.meta.url) },
  '/assets/challenge.js': {
    type: 'text/javascript; charset=utf-8',
    // Built from src/browser; the same place from the sources and from the build.
    file: new URL('../../../dist/browser/challenge.js', import.meta.url),
  },
} as const

type Name = keyof typeof files

interface Asset {
  readonly body: Buffer
  readonly version: string
}

const loaded = new Map<Name, Asset>()

/** The address of a file below the challenge path, with its version. */
export function assetPath(base: string, name: Name): string {
  return `${base}${name}?v=${load(name).version}`
}

/** Serves one of the files; answers whether it did. */
export function serveAsset(req: IncomingMessage, res: ServerResponse, below: string): boolean {
  if (!Object.hasOwn(files, below) || (req.method !== 'GET' && req.method !== 'HEAD')) return false
  const name = below as Name
  const { body } = load(name)
  res.setHeader('Content-Type', files[name].type)
  res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Content-Length', body.length)
  res.end(req.method === 'HEAD' ? undefined : body)
  return true
}

function load(name: Name): Asset {
  const present = loaded.get(name)
  if (present) return present
  const body = readFileSync(files[name].file)
  const asset = { body, version: createHash('sha256').update(body).digest('base64url').slice(0, 12) }
  loaded.set(name, asset)
  return asset
}
