import type { ServerResponse } from 'node:http'

import { mediaType } from '../../contract/media-type.ts'
import type { Vendor } from '../../contract/media-type.ts'
import type { Version } from '../../contract/endpoint.ts'

/** The headers that identify a kind of response. */
export type Label = Readonly<Record<string, string>>

/** Responses of the REST interface. */
export function vendorLabel(vendor: Vendor, version: Version): Label {
  return { 'Content-Type': mediaType(vendor, version) }
}

/** Responses to devices. */
export const jsonLabel: Label = { 'Content-Type': 'application/json' }

/** Ends the response with a value as JSON, or without a body if the value is undefined. */
export function answer(
  res: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>>,
): void {
  // The caller has disconnected, or the response had started before something failed.
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
