import type { ServerResponse } from 'node:http'

import type { Vendor } from '../../../contract/media-type.ts'
import { loadOnce } from '../base/load-once.ts'
import type { ReferencePage } from '../openapi/reference.ts'
import type { Page } from './front.ts'

/**
 * The documentation of the interface, for programs and people. Needs no key, because it reveals nothing beyond the package. Built
 * on first use: it never changes while the process lives, and most processes are never asked.
 */
export function documents({ vendor, basePath }: { vendor: Vendor; basePath: string }): readonly Page[] {
  const document = loadOnce(async () => {
    const { createOpenApi } = await import('../openapi/document.ts')
    return createOpenApi({ vendor, address: basePath })
  })
  const json = loadOnce(async () => JSON.stringify(await document()))
  const reference = loadOnce(async () => {
    const { createReference } = await import('../openapi/reference.ts')
    return createReference(await document(), { vendor, basePath })
  })
  const home = loadOnce(async () => (await import('../openapi/reference.ts')).createHomePage())
  return [
    // With an empty base path, this is an address of the interface.
    ...(basePath === ''
      ? []
      : [{ path: '/', serve: async (_req: unknown, res: ServerResponse) => sendPage(res, await home()) }]),
    {
      path: `${basePath}/openapi.json`,
      serve: async (_req, res) => send(res, await json(), { 'Content-Type': 'application/json' }),
    },
    { path: '/docs', serve: async (_req, res) => sendPage(res, await reference()) },
  ]
}

function sendPage(res: ServerResponse, { html, policy }: ReferencePage): void {
  send(res, html, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy })
}

function send(res: ServerResponse, text: string, headers: Readonly<Record<string, string>>): void {
  res.writeHead(200, {
    ...headers,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
  })
  res.end(text)
}
