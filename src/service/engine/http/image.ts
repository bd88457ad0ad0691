import type { Answer } from './answer.ts'

/** The image, or 304 if the caller already has it (RFC 9110 section 13.1.2). */
export function imageAnswer(
  ifNoneMatch: string | undefined,
  image: NamedImage,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const isCurrent = matchesEtag(ifNoneMatch, image.etag)
  return {
    status: isCurrent ? 304 : 200,
    headers: {
      ...headers,
      ...(!isCurrent && { 'Content-Type': 'image/png', 'Content-Length': String(image.bytes.byteLength) }),
      ETag: image.etag,
      // Cached, but revalidated each time, because the image can change at any moment.
      'Cache-Control': 'private, no-cache',
      'X-Content-Type-Options': 'nosniff',
    },
    body: isCurrent ? '' : image.bytes,
  }
}

/** Whether `If-None-Match` names the tag. Compares weakly, because compressing proxies mark tags as weak. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => {
    const trimmed = tag.trim()
    return trimmed === '*' || trimmed.replace(/^W\//, '') === etag
  })
}

/** A PNG and its entity tag (RFC 9110 section 8.8.3). */
export interface NamedImage {
  readonly bytes: Uint8Array
  readonly etag: string
}
