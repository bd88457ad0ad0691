import { crc32, deflateSync } from 'node:zlib'

import type { Page } from 'playwright-core'

const maxColors = 256

interface Pixels {
  readonly width: number
  readonly height: number
  /** RGBA in base64, because pages can only return JSON. */
  readonly data: string
}

/** Reduces a screenshot to a third of its size with a palette: a user interface has only a few hundred colors. */
export async function toPalettePng(page: Page, png: Buffer): Promise<Buffer> {
  const { width, height, data } = await page.evaluate(readPixels, png.toString('base64'))
  const bytes = Buffer.from(data, 'base64')
  const colors = Array.from({ length: width * height }, (_, index) => bytes.readUIntBE(index * 4, 3))
  const palette = frequent(colors)
  const places = new Map(palette.map((color, place) => [color, place]))

  const lines = Buffer.alloc(height * (width + 1))
  colors.forEach((color, index) => {
    const place = places.get(color) ?? nearest(palette, color)
    places.set(color, place)
    // Each line begins with its filter: none.
    lines[Math.floor(index / width) * (width + 1) + 1 + (index % width)] = place
  })
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header(width, height)),
    chunk('PLTE', Buffer.concat(palette.map(bytesOf))),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Runs in a page: browsers read pictures. */
async function readPixels(base64: string): Promise<Pixels> {
  const image = new Image()
  image.src = `data:image/png;base64,${base64}`
  await image.decode()
  const { width, height } = image
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const pen = canvas.getContext('2d')
  pen?.drawImage(image, 0, 0)
  let data = ''
  for (const byte of pen?.getImageData(0, 0, width, height).data ?? []) data += String.fromCharCode(byte)
  return { width, height, data: btoa(data) }
}

function frequent(colors: readonly number[]): readonly number[] {
  const counts = new Map<number, number>()
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1)
  const ordered = [...counts].sort(([, a], [, b]) => b - a)
  return ordered.slice(0, maxColors).map(([color]) => color)
}

function nearest(palette: readonly number[], color: number): number {
  const target = bytesOf(color)
  const distances = palette.map((each) =>
    bytesOf(each).reduce((sum, value, index) => sum + (value - (target[index] ?? 0)) ** 2, 0),
  )
  return distances.indexOf(Math.min(...distances))
}

const bytesOf = (color: number) => Buffer.from([color >> 16, (color >> 8) & 255, color & 255])

/** 8 bits a pixel, color type 3: of a palette (PNG, section 11.2.1). */
function header(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(13)
  bytes.writeUInt32BE(width, 0)
  bytes.writeUInt32BE(height, 4)
  bytes.set([8, 3], 8)
  return bytes
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
