import { existsSync } from 'node:fs'

import type { RequestHandler } from 'express'

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** Suffixes of the files that the build makes. */
const suffixes = { br: '.br', gzip: '.gz', identity: '' }

/** Replaces the URL of a script or style by that of its compressed form, if the build made one and the caller accepts it. */
export function preferCompressed(folder: string): RequestHandler {
  return (req, res, next) => {
    const [, path = '', type = ''] = /^\/((?:assets\/)?[\w-]+\.(js|css))(?=\?|$)/.exec(req.url) ?? []
    if (!existsSync(`${folder}${path}.br`)) return next()
    res.appendHeader('Vary', 'Accept-Encoding')
    const encoding = bestEncoding(req.headers['accept-encoding']?.toString())
    if (encoding !== 'identity') {
      res.setHeader('Content-Encoding', encoding)
      res.setHeader('Content-Type', types[type] ?? '')
      req.url = req.url.replace(path, path + suffixes[encoding])
    }
    next()
  }
}

/** By the qualities of `Accept-Encoding` (RFC 9110 section 12.5.3). Callers who accept nothing get a file as it is. */
function bestEncoding(accepted = ''): keyof typeof suffixes {
  const named = accepted.toLowerCase().matchAll(/(?:^|,)\s*([\w*-]+)(?:\s*;\s*q\s*=\s*([\d.]+))?\s*(?=,|$)/g)
  const qualities = new Map(Array.from(named, ([, name = '', quality = '1']) => [name, Number(quality)]))
  const others = qualities.get('*') ?? 0
  let best: keyof typeof suffixes = 'identity'
  let highest = qualities.get(best) ?? 0
  for (const encoding of ['gzip', 'br'] as const) {
    const quality = qualities.get(encoding) ?? others
    if (quality > 0 && quality >= highest) [best, highest] = [encoding, quality]
  }
  return best
}
