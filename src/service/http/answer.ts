import type { ServerResponse } from 'node:http'

import { mediaType } from '../../contract/media-type.ts'
import type { Vendor } from '../../contract/media-type.ts'
import type { Version } from '../../contract/endpoint.ts'

/** How one kind of answers is labelled. */
export type Label = Readonly<Record<string, string>>

/** Answers of the REST interface. */
export function vendorLabel(vendor: Vendor, version: Version): Label {
  return { 'Content-Type': mediaType(vendor, version) }
}

/** Answers to devices. */
export const jsonLabel: Label = { 'Content-Type': 'application/json' }

/** Ends the response with a value as JSON, or with nothing where there is none. */
export function answer(
  res: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>>,
): void {
  // Its caller has gone, or the answer was begun before something went wrong.
  if (res.headersSent || res.destroyed) return
  const body = value === undefined ? '' : JSON.stringify(value)
  const { 'Content-Type': contentType, ...others } = headers
  res.writeHead(status, {
    ...others,
    ...(body !== '' && contentType !== undefined && { 'Content-Type': contentType }),
    ...(status !== 304 && { 'Content-Length': Buffer.byteLength(body) }),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  res.end(body)
}
