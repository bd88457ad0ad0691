import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { inflateSync } from 'node:zlib'

/** Fonts for the letters that the browser of the tests does not bring, as files of WOFF 1.0. */
const fonts = [
  '@fontsource/noto-sans-arabic/files/noto-sans-arabic-arabic-400-normal',
  '@fontsource/noto-sans-arabic/files/noto-sans-arabic-arabic-700-normal',
  '@fontsource/sawarabi-gothic/files/sawarabi-gothic-japanese-400-normal',
]

/** Puts the fonts into a folder that the browser reads. It reads no web fonts from there. */
export async function installFonts(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const { resolve } = createRequire(import.meta.url)
  for (const font of fonts) {
    const woff = await readFile(resolve(`${font}.woff`))
    await writeFile(join(folder, `${basename(font)}.ttf`), toSfnt(woff))
  }
}

/** Sizes of the parts of both formats, in bytes. */
const sizes = { woffHeader: 44, woffEntry: 20, sfntHeader: 12, sfntEntry: 16 }

/** WOFF 1.0 (W3C, section 4) holds the tables of a font one by one, deflated. */
function toSfnt(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12)
  const tables = Array.from({ length: count }, (_, index) => {
    const entryOffset = sizes.woffHeader + index * sizes.woffEntry
    const [start, packed, length] = [4, 8, 12].map((field) => woff.readUInt32BE(entryOffset + field)) as [
      number,
      number,
      number,
    ]
    const bytes = woff.subarray(start, start + packed)
    return {
      entry: woff.subarray(entryOffset, entryOffset + 4),
      checksum: woff.subarray(entryOffset + 16, entryOffset + 20),
      data: packed < length ? inflateSync(bytes) : bytes,
    }
  })

  let offset = sizes.sfntHeader + count * sizes.sfntEntry
  const directory = tables.map(({ entry, checksum, data }) => {
    const place = Buffer.alloc(8)
    place.writeUInt32BE(offset, 0)
    place.writeUInt32BE(data.length, 4)
    offset += padded(data.length)
    return Buffer.concat([entry, checksum, place])
  })
  const contents = tables.map(({ data }) => Buffer.concat([data, Buffer.alloc(padded(data.length) - data.length)]))
  return Buffer.concat([header(woff.subarray(4, 8), count), ...directory, ...contents])
}

/** With what a binary search through the directory would start from. */
function header(flavour: Buffer, count: number): Buffer {
  const power = Math.floor(Math.log2(count))
  const numbers = Buffer.alloc(8)
  for (const [index, number] of [count, 16 * 2 ** power, power, 16 * (count - 2 ** power)].entries()) {
    numbers.writeUInt16BE(number, index * 2)
  }
  return Buffer.concat([flavour, numbers])
}

/** Tables begin at multiples of four. */
const padded = (length: number) => Math.ceil(length / 4) * 4
