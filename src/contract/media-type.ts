import { z } from 'zod'

import type { Version } from './endpoint.ts'

/** Words in headers that differ between vendors of the same interface. */
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
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be one word without spaces (RFC 9110 section 11.1)')
    .default('Service'),
  mediaType: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9!#$&^_-]*$/, 'must be one word of letters and digits (RFC 6838 section 4.2)')
    .default('service'),
})
export type Vendor = z.output<typeof Vendor>

export const defaultVendor: Vendor = Object.freeze(Vendor.parse({}))

/** The media type of requests and responses. 1.3 has no version parameter, as its clients expect. */
export function mediaType(vendor: Vendor, version: Version): string {
  const plain = `application/vnd.${vendor.mediaType}.v1+json`
  return version === '1.3' ? plain : `${plain}; version=${version}`
}

/** The Authorization header of an API key. */
export function authorization(vendor: Vendor, apiKey: string): string {
  return `${vendor.scheme} key="${apiKey}"`
}

/** What an answer is written in. */
export interface AnswerFormat {
  readonly version: Version
  /** Its type is `application/json`, for callers who know no type of a vendor. */
  readonly plain: boolean
}

/**
 * The format that a request asks for; undefined where it accepts only unknown ones (406). Of several ranges, the first known one of
 * the highest weight wins. A request that accepts any version gets that of its own body, which is 1.3 unless the body says so.
 */
export function answerFormat(
  vendor: Vendor,
  { accept, contentType }: { readonly accept?: string | undefined; readonly contentType?: string | undefined },
): AnswerFormat | undefined {
  const own = contentType === undefined ? undefined : formatOf(vendor, parseRange(contentType), '1.3')?.version
  const any = { version: own ?? '1.3', plain: false } as const
  if (accept === undefined || accept.trim() === '') return any
  const ranges = accept
    .split(',')
    .map(parseRange)
    .filter((range) => range.weight > 0)
    .sort((a, b) => b.weight - a.weight)
  const format = ranges.map((range) => formatOf(vendor, range, any.version)).find((known) => known !== undefined)
  // Who accepts everything gets the type that clients have always got.
  const acceptsAll = ranges.some(({ type }) => type === '*/*' || type === 'application/*')
  return format?.plain && acceptsAll ? { ...format, plain: false } : format
}

/** Whether an Accept header accepts a type that is not the vendor's, such as `image/png`. */
export function acceptsType(accept: string | undefined, type: string): boolean {
  const family = `${type.split('/', 1)[0]}/*`
  return (accept ?? '')
    .split(',')
    .map(parseRange)
    .some((range) => range.weight > 0 && (range.type === type || range.type === family))
}

/** The version in the Content-Type of a response; undefined when the type is not the vendor's. */
export function responseVersion(vendor: Vendor, contentType: string | null): Version | undefined {
  if (contentType === null) return undefined
  const range = parseRange(contentType)
  return range.type === vendorType(vendor) ? versionNamed(range.version ?? '1.3') : undefined
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

/** @param any The version of a type that stands for every version. */
function formatOf(vendor: Vendor, range: Range, any: Version): AnswerFormat | undefined {
  if (range.type === '*/*' || range.type === 'application/*') return { version: any, plain: false }
  const plain = range.type === 'application/json'
  if (!plain && range.type !== vendorType(vendor)) return undefined
  const version = versionNamed(range.version ?? (plain ? any : '1.3'))
  return version && { version, plain }
}

const vendorType = (vendor: Vendor): string => `application/vnd.${vendor.mediaType.toLowerCase()}.v1+json`

const versionNamed = (name: string): Version | undefined => (name === '1.3' || name === '1.4' ? name : undefined)
