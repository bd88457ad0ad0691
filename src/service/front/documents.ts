import type { ServerResponse } from 'node:http'

import type { Vendor } from '../../contract/media-type.ts'
import { createOpenApi } from '../openapi/document.ts'
import { createHomePage, createReference } from '../openapi/reference.ts'
import type { ReferencePage } from '../openapi/reference.ts'
import type { Page } from './front.ts'

/** The documentation of the interface, for programs and people. Needs no key, because it reveals nothing beyond the package. */
export function documents({ vendor, basePath }: { vendor: Vendor; basePath: string }): readonly Page[] {
  const document = once(() => createOpenApi({ vendor, address: basePath }))
  const json = once(() => JSON.stringify(document()))
  const reference = once(() => createReference(document(), { vendor, basePath }))
  const home = once(createHomePage)
  return [
    // With an empty base path, this is an address of the interface.
    ...(basePath === '' ? [] : [{ path: '/', serve: (_req: unknown, res: ServerResponse) => sendPage(res, home()) }]),
    {
      path: `${basePath}/openapi.json`,
      serve: (_req, res) => send(res, json(), { 'Content-Type': 'application/json' }),
    },
    { path: '/docs', serve: (_req, res) => sendPage(res, reference()) },
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

/** Built on first use: it never changes while the process lives, and most processes are never asked. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
