import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { encodeQR } from 'qr'

/** Of its picture. */
export const size = { width: 640, height: 480 }

/** A camera that shows a blank wall, or a QR code on it. */
export interface FakeCamera {
  /** Arguments for `launchChromium`. */
  readonly args: readonly string[]
  /** The QR code that it shows when it is opened next; without a text, only the wall. */
  look(text?: string): Promise<void>
  /** What it shows when it is opened next: the brightness of each pixel. */
  film(pixels: Buffer): Promise<void>
  remove(): void
}

export async function createFakeCamera(): Promise<FakeCamera> {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-camera-'))
  const file = join(folder, 'camera.y4m')
  const film = (pixels: Buffer) => writeFile(file, video(pixels))
  const look = (text?: string) => film(brightness(text === undefined ? [] : encodeQR(text, 'raw', { border: 4 })))
  await look()
  return {
    args: [
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-video-capture=${file}`,
    ],
    look,
    film,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** YUV4MPEG2: a header, then frames of one brightness plane and two color planes, which stay gray. */
function video(pixels: Buffer): Buffer {
  const frame = Buffer.concat([Buffer.from('FRAME\n'), pixels, Buffer.alloc((size.width * size.height) / 2, 128)])
  return Buffer.concat([Buffer.from(`YUV4MPEG2 W${size.width} H${size.height} F10:1 Ip A1:1 C420jpeg\n`), frame, frame])
}

function brightness(modules: readonly (readonly boolean[])[]): Buffer {
  const wall = Buffer.alloc(size.width * size.height, 200)
  const scale = Math.floor((size.height * 0.8) / (modules.length || 1))
  const [offsetX, offsetY] = [(size.width - modules.length * scale) >> 1, (size.height - modules.length * scale) >> 1]
  modules.forEach((row, y) =>
    row.forEach((dark, x) => {
      for (let line = 0; line < scale; line++) {
        const start = (offsetY + y * scale + line) * size.width + offsetX + x * scale
        wall.fill(dark ? 16 : 235, start, start + scale)
      }
    }),
  )
  return wall
}
