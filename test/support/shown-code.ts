import { decodeQR } from 'qr/decode.js'

import { parseScanCode } from '../../src/contract/scan-code.ts'

/** What the QR code of a waiting page says, read from the picture that the page shows. */
export function shownCode({ text: html }: { readonly text: string }) {
  const [, size = '', lines] = /<svg viewBox="-4 -4 (\d+) \d+"><path stroke="#000" d="([^"]+)"/.exec(html) ?? []
  if (lines === undefined) return undefined
  const text = decodeQR(drawn(Number(size), lines))
  return { text, ...parseScanCode(text) }
}

/** Pixels for each module. */
const scale = 4

/** Modules between the edge of the picture and the code. */
const quietZone = 4

/** Draws the lines black on white: `M` starts a row, `h` draws, `m` moves. */
function drawn(size: number, lines: string) {
  const width = size * scale
  const data = new Uint8ClampedArray(width * width * 4).fill(255)
  const darken = (x: number, y: number) => data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3)
  for (const [, row, runs = ''] of lines.matchAll(/M0 (\d+)\.5([^M]*)/g)) {
    const y = quietZone + Number(row)
    let x = quietZone
    for (const [, kind, length] of runs.matchAll(/([hm])(\d+)/g)) {
      const pixels = kind === 'h' ? Number(length) * scale * scale : 0
      for (let pixel = 0; pixel < pixels; pixel++) {
        darken(x * scale + Math.floor(pixel / scale), y * scale + (pixel % scale))
      }
      x += Number(length)
    }
  }
  return { width, height: width, data }
}
