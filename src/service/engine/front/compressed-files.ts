import { existsSync } from 'node:fs'

import type { RequestHandler } from 'express'

import { bestEncoding } from '../../../ground/accept-encoding.ts'

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
