import type { ServerResponse } from 'node:http'

import { mediaType } from '../../../contract/media-type.ts'
import type { AnswerFormat, Vendor } from '../../../contract/media-type.ts'
import type { Version } from '../../../contract/endpoint.ts'

/** The headers that identify a kind of response. */
export type Label = Readonly<Record<string, string>>

/** Responses of the REST interface. */
export function vendorLabel(vendor: Vendor, version: Version): Label {
  return { 'Content-Type': mediaType(vendor, version) }
}

/** Responses to devices, and to callers who ask for plain JSON. */
export const jsonLabel: Label = { 'Content-Type': 'application/json' }

export const labelOf = (vendor: Vendor, { version, plain }: AnswerFormat): Label =>
  plain ? jsonLabel : vendorLabel(vendor, version)

/** A whole response. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** A value as JSON, or no body if the value is undefined. */
export function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>>) {
  const body = value === undefined ? '' : JSON.stringify(value)
  const { 'Content-Type': contentType, ...otherHeaders } = headers
  return {
    status,
    headers: {
      ...otherHeaders,
      ...(body !== '' && contentType !== undefined && { 'Content-Type': contentType }),
      ...(status !== 304 && { 'Content-Length': String(Buffer.byteLength(body)) }),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
    body,
  }
}

export function send(res: ServerResponse, { status, headers, body }: Answer): void {
  // The caller has disconnected, or the response had started before something failed.
  if (res.headersSent || res.destroyed) return
  res.writeHead(status, headers).end(body)
}

/** Ends the response with a value as JSON, or without a body if the value is undefined. */
export const answer = (res: ServerResponse, ...args: Parameters<typeof jsonAnswer>): void =>
  send(res, jsonAnswer(...args))
