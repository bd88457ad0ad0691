import { createHash } from 'node:crypto'

/** A PNG and its entity tag (RFC 9110 section 8.8.3). */
export interface NamedImage {
  readonly bytes: Uint8Array
  readonly etag: string
}

export const imageLimits = Object.freeze({ bytes: 256 * 1024, pixels: 1024 })

/** The signature (PNG, ISO/IEC 15948, section 5.2), then length and type of the first chunk. */
const beginning = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** The last chunk, IEND, which is always the same. */
const ending = Buffer.from('0000000049454e44ae426082', 'hex')

/** Why the bytes cannot be a domain's image; undefined if they can. */
export function imageFault(bytes: Uint8Array): string | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (file.length > imageLimits.bytes) return `it is larger than ${imageLimits.bytes / 1024} KiB`
  if (!startsWith(file, beginning)) return 'it is no PNG'
  // Bytes after the end would be served unseen.
  if (!file.subarray(-ending.length).equals(ending)) return 'it is no whole PNG'
  const sides = [file.readUInt32BE(beginning.length), file.readUInt32BE(beginning.length + 4)]
  if (sides.some((side) => side < 1)) return 'it is no PNG'
  if (sides.some((side) => side > imageLimits.pixels)) {
    return `it is larger than ${imageLimits.pixels} x ${imageLimits.pixels} pixels`
  }
  return undefined
}

export function nameImage(bytes: Uint8Array): NamedImage {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

const startsWith = (file: Buffer, start: Buffer) => file.subarray(0, start.length).equals(start)
