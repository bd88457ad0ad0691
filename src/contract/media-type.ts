import { z } from 'zod'

import type { Version } from './endpoint.ts'

/** The words that differ from vendor to vendor on an otherwise equal wire. */
export interface VendorOptions {
  /**
   * The scheme of the Authorization header; it is case-insensitive.
   * @default `'Service'`
   */
  scheme?: string | undefined
  /**
   * The word in the media type: `x` stands for `application/vnd.x.v1+json`.
   * @default `'service'`
   */
  mediaType?: string | undefined
}

/** Checks {@link VendorOptions}, and fills in the defaults. */
export const Vendor = z.strictObject({
  scheme: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be one word, as RFC 9110 section 11.1 has it')
    .default('Service'),
  mediaType: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9!#$&^_-]*$/, 'must be one word, as RFC 6838 section 4.2 has it')
    .default('service'),
})
export type Vendor = z.output<typeof Vendor>

export const defaultVendor: Vendor = Object.freeze(Vendor.parse({}))

/** The media type of requests and answers. 1.3 goes without a version parameter, as its clients expect. */
export function mediaType(vendor: Vendor, version: Version): string {
  const plain = `application/vnd.${vendor.mediaType}.v1+json`
  return version === '1.3' ? plain : `${plain}; version=${version}`
}

/** The Authorization header of an API key. */
export function authorization(vendor: Vendor, apiKey: string): string {
  return `${vendor.scheme} key="${apiKey}"`
}

/**
 * The version an Accept header asks for, or undefined where it asks for none that exists (406).
 * Several ranges: the first acceptable one of highest weight wins.
 */
export function acceptedVersion(vendor: Vendor, accept: string | undefined): Version | undefined {
  if (accept === undefined || accept.trim() === '') return '1.3'
  return accept
    .split(',')
    .map(parseRange)
    .filter((range) => range.weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map((range) => versionOf(vendor, range))
    .find((version) => version !== undefined)
}

/** Whether an Accept header names a type that is not the vendor's, such as `image/png`. */
export function acceptsType(accept: string | undefined, type: string): boolean {
  const family = `${type.split('/', 1)[0]}/*`
  return (accept ?? '')
    .split(',')
    .map(parseRange)
    .some((range) => range.weight > 0 && (range.type === type || range.type === family))
}

/** The version an answer's Content-Type names; undefined when it is not of this vendor. */
export function answeredVersion(vendor: Vendor, contentType: string | null): Version | undefined {
  if (contentType === null) return undefined
  const range = parseRange(contentType)
  return range.type === `application/vnd.${vendor.mediaType.toLowerCase()}.v1+json`
    ? versionOf(vendor, range)
    : undefined
}

interface Range {
  readonly type: string
  readonly version: string | undefined
  readonly weight: number
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const values = new Map(parameters.map((parameter) => splitParameter(parameter)))
  const weight = Number(values.get('q') ?? 1)
  return { type, version: values.get('version'), weight: Number.isNaN(weight) ? 1 : weight }
}

function splitParameter(parameter: string): [string, string] {
  const [name = '', value = ''] = parameter.split('=', 2)
  return [name.trim(), value.trim().replace(/^"(.*)"$/, '$1')]
}

function versionOf(vendor: Vendor, range: Range): Version | undefined {
  if (range.type === '*/*' || range.type === 'application/*') return '1.3'
  if (range.type !== `application/vnd.${vendor.mediaType.toLowerCase()}.v1+json`) return undefined
  if (range.version === undefined || range.version === '1.3') return '1.3'
  return range.version === '1.4' ? '1.4' : undefined
}
