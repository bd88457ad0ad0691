import type { IncomingMessage, ServerResponse } from 'node:http'

import type { NamedImage } from '../rules/image.ts'

/** Responds with the image, or with 304 if the caller already has it (RFC 9110 section 13.1.2). */
export function answerImage(
  req: IncomingMessage,
  res: ServerResponse,
  image: NamedImage,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (res.headersSent || res.destroyed) return
  const known = matchesEtag(req.headers['if-none-match'], image.etag)
  res.writeHead(known ? 304 : 200, {
    ...headers,
    ...(!known && { 'Content-Type': 'image/png', 'Content-Length': image.bytes.byteLength }),
    ETag: image.etag,
    // Cached, but revalidated each time, because the image can change at any moment.
    'Cache-Control': 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
  })
  res.end(known ? undefined : image.bytes)
}

/** Whether `If-None-Match` names the tag. Compares weakly, because compressing proxies mark tags as weak. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => {
    const trimmed = tag.trim()
    return trimmed === '*' || trimmed.replace(/^W\//, '') === etag
  })
}
