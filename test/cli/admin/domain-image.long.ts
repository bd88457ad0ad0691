import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'

import { describe, expect, it } from 'vitest'

import { useDatabase } from './run-command.ts'

const { place, file, admin, json } = useDatabase()

/** A black PNG of so many pixels; `extra` bytes of text make it larger. */
function png(width: number, height: number, extra = 0): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // One bit of grey.
  header[8] = 1
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height)
  const text = extra > 0 ? [chunk('tEXt', Buffer.alloc(extra, 'a'))] : []
  const chunks = [chunk('IHDR', header), ...text, chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)])
}

describe('second-factor domain image', () => {
  it('second-factor domain image sets an image, returns it unchanged, and removes it', async () => {
    const logo = png(64, 64)
    writeFileSync(file('logo.png'), logo)

    const set = await admin('domain', 'image', 'set', 'Intranet', file('logo.png'))
    await admin('domain', 'image', 'get', 'Intranet', file('own.png'))
    const removed = await json('domain', 'image', 'remove', 'Intranet')
    const secondRemoval = await json('domain', 'image', 'remove', 'Intranet')
    await admin('domain', 'image', 'get', 'Intranet', file('neutral.png'))

    expect(set).toMatchObject({ code: 0, stdout: 'Set the image of "Intranet".\n' })
    expect(readFileSync(file('own.png'))).toEqual(logo)
    expect([removed.removed, secondRemoval.removed]).toEqual([true, false])
    expect(readFileSync(file('neutral.png')).subarray(1, 4).toString()).toBe('PNG')
    expect(readFileSync(file('neutral.png'))).not.toEqual(logo)
  })

  const full = 256 * 1024
  it.each([
    ['1024 x 1024 pixels', () => png(1024, 1024)],
    ['256 KiB', () => png(8, 8, full - png(8, 8, 1).length + 1)],
  ])('second-factor domain image accepts an image of %s', async (_what, make) => {
    writeFileSync(file('a.png'), make())

    expect((await admin('domain', 'image', 'set', 'Intranet', file('a.png'))).code).toBe(0)
  })

  it.each([
    ['one pixel too wide', () => png(1025, 8), '1024 x 1024'],
    ['one pixel too high', () => png(8, 1025), '1024 x 1024'],
    ['without pixels', () => png(0, 8), 'no PNG'],
    ['of one byte too many', () => png(8, 8, full - png(8, 8, 1).length + 2), '256 KiB'],
    ['of another kind', () => Buffer.from('GIF89a'), 'no PNG'],
    ['a page that begins as a PNG', () => Buffer.concat([png(8, 8).subarray(0, 8), Buffer.from('<script>')]), 'no PNG'],
    ['cut off', () => png(8, 8).subarray(0, -1), 'no whole PNG'],
    ['with something after it', () => Buffer.concat([png(8, 8), Buffer.from('<script>')]), 'no whole PNG'],
    ['empty', () => Buffer.alloc(0), 'no PNG'],
  ])(
    'second-factor domain image rejects an invalid image (%s) and keeps the current one',
    async (_what, make, reason) => {
      const currentImage = png(16, 16)
      writeFileSync(file('good.png'), currentImage)
      writeFileSync(file('bad.png'), make())
      await admin('domain', 'image', 'set', 'Intranet', file('good.png'))

      const { stderr, code } = await admin('domain', 'image', 'set', 'Intranet', file('bad.png'))
      await admin('domain', 'image', 'get', 'Intranet', file('kept.png'))

      expect(code).toBe(1)
      expect(stderr).toContain(reason)
      expect(readFileSync(file('kept.png'))).toEqual(currentImage)
    },
  )

  it('second-factor domain image reads only regular files', async () => {
    mkdirSync(file('folder'))
    execFileSync('mkfifo', [file('pipe')])

    for (const path of [file('folder'), '/dev/zero', file('pipe'), file('none')]) {
      const { stderr, code } = await admin('domain', 'image', 'set', 'Intranet', path)

      expect([path, code]).toEqual([path, 1])
      expect(stderr).toContain("Can't read")
    }
  })

  it('second-factor domain image does not overwrite a file', async () => {
    writeFileSync(file('letter.txt'), 'Dear Sir or Madam')

    const { stderr, code } = await admin('domain', 'image', 'get', 'Intranet', file('letter.txt'))

    expect(code).toBe(1)
    expect(stderr).toContain('the file already exists')
    expect(readFileSync(file('letter.txt'), 'utf8')).toBe('Dear Sir or Madam')
    expect(existsSync(place.database)).toBe(true)
  })
})
