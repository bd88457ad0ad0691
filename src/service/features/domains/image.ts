import { createHash } from 'node:crypto'

import type { NamedImage } from '../../engine/http/image.ts'

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

/** The image of a domain without its own: a white shield with a keyhole on gray, 96 pixels wide. */
export const defaultImage = (): NamedImage => ({ bytes: Buffer.from(png, 'base64'), etag: '"default-1"' })

/** Two bits per pixel, so that it fits here. Change the tag when you change it. */
const png = [
  'iVBORw0KGgoAAAANSUhEUgAAAGAAAABgAgMAAACf9p+rAAAADFBMVEUAAABrcoD///+co69KUy6GAAAABHRSTlMA////sy1AiAAAANRJREFUeNrt',
  '1jsOwyAMBmBn6BFynxyhA2bgCNwnR8hAT1nlQWWDf4moLelQDxn4FGwkhE1ERFwEHcFsy62G+wZjDW5dH9iIyd5p32u0wJk1HXUhGGyY7NxrdgijDe6T',
  'wCB+Ah6v+ENnmD2A/C0hMUcTFuZwGcCq4DnwyS+DmCEZkI/5LQgZFgO2aAafYX4buLi6DRD39VRB0NU2gNdFiYdM5xYQVW4BQaUQ4FUK+VhGuZMEL3/o',
  '81L36FHnOydswuf7OR4N4DABxw84sOARBw5F9hj1BE+ycV9pioP9AAAAAElFTkSuQmCC',
].join('')

/** An invisible pixel, for callers that show their own image instead. */
export const noImage = (): NamedImage => ({ bytes: Buffer.from(pixel, 'base64'), etag: '"none-1"' })

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQMAAAAl21bKAAAAA1BMVEUAAACnej3aAAAAAXRSTlMAQObYZgAAAApJREFUeNpjYAAAAAIAAeUn3vwAAAAASUVORK5CYII='
