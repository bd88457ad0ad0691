import fs from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { addKey, removeKey } from '../../../../src/service/engine/secrets/edit-key-file.ts'
import { keyFileOf, openKeyFile, saveKeyFile } from '../../../../src/service/engine/secrets/key-file.ts'
import { formatKey, parseKeyRing } from '../../../../src/service/engine/secrets/key-ring.ts'
import { systemRandom } from '../../../../src/service/engine/base/random.ts'

const key = (id: string, fill: number) => formatKey(id, Buffer.alloc(32, fill))

describe('a key ring', () => {
  it('a key ring uses its first key for writing, and all keys for reading', () => {
    const ring = parseKeyRing(`${key('new', 2)}, ${key('old', 1)}`)

    expect(ring.primary.id).toBe('new')
    expect(ring.keys.map(({ id }) => id)).toEqual(['new', 'old'])
  })

  it('a key ring derives separate keys for encryption and for lookups', () => {
    const { primary } = parseKeyRing(key('k1', 1))

    expect(primary.encryption.equals(primary.lookup)).toBe(false)
    expect(primary.encryption.export()).not.toEqual(Buffer.alloc(32, 1))
    expect(primary.encryption.export()).toHaveLength(32)
  })

  it.each([
    ['', /empty/],
    [' , ', /empty/],
    ['k1', /Key 1/],
    [`k 1:${'A'.repeat(43)}=`, /Key 1/],
    [`${key('k1', 1)},:x`, /Key 2/],
    ['k1:c2hvcnQ=', /"k1" has 5 bytes: it must have 32/],
    [`${key('k1', 1)},${key('k1', 2)}`, /id twice/],
  ])('a key ring explains what is wrong with %j', (text, message) => {
    expect(() => parseKeyRing(text)).toThrow(TypeError)
    expect(() => parseKeyRing(text)).toThrow(message)
  })

  it('a key ring never repeats an invalid key in a message', () => {
    expect(messageOf(() => parseKeyRing('k1:aHVudGVyMg=='))).not.toContain('aHVudGVyMg')
    expect(messageOf(() => parseKeyRing('hunter2'))).not.toContain('hunter2')
  })
})

describe('a key file', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keys-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('a key file is created if missing, readable only by its owner, and then reused', async () => {
    const path = keyFileOf(join(folder, 'mfa.sqlite'))

    const first = await openKeyFile(path, systemRandom)
    const reopened = await openKeyFile(path, systemRandom)

    expect(path).toBe(join(folder, 'mfa.sqlite.keys'))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect([first.created, reopened.created]).toEqual([true, false])
    expect(reopened.ring).toEqual(first.ring)
  })

  it('a key file is created once, however many processes start at once', async () => {
    const path = join(folder, 'keys')

    const opened = await Promise.all(Array.from({ length: 16 }, () => openKeyFile(path, systemRandom)))

    expect(opened.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(opened.map(({ ring }) => ring.primary.secret.toString('hex'))).size).toBe(1)
  })

  it('a key file holds one key per line, the first one primary', async () => {
    const path = join(folder, 'keys')
    await writeFile(path, `${key('new', 2)}\n${key('old', 1)}\n`)

    const { ring } = await openKeyFile(path, systemRandom)

    expect(ring.keys.map(({ id }) => id)).toEqual(['new', 'old'])
  })

  it('a damaged key file is named in the error, and never overwritten', async () => {
    const path = join(folder, 'keys')
    await writeFile(path, 'k1:damaged\n')

    await expect(openKeyFile(path, systemRandom)).rejects.toThrow(path)
    expect(await readFile(path, 'utf8')).toBe('k1:damaged\n')
  })

  it('a key file survives a power cut: its name is on the disk once it is created, saved, or changed', async () => {
    const path = join(folder, 'keys')

    const created = await namesOnDisk(() => openKeyFile(path, systemRandom))
    const { ring } = await openKeyFile(path, systemRandom)
    const saved = await namesOnDisk(() => saveKeyFile(join(folder, 'saved'), ring))
    const added = await namesOnDisk(() => addKey(path, systemRandom))
    const removed = await namesOnDisk(() => removeKey(path, ring.primary.id))

    expect(created).toEqual(['keys'])
    expect(saved).toEqual(['keys', 'saved'])
    expect([added, removed]).toEqual([
      ['keys', 'saved'],
      ['keys', 'saved'],
    ])
  })

  /** The names in the folder when it was last flushed; undefined if it was not. */
  async function namesOnDisk(run: () => Promise<unknown>): Promise<string[] | undefined> {
    const { fsyncSync } = fs
    let names: string[] | undefined
    fs.fsyncSync = (descriptor) => {
      fsyncSync(descriptor)
      if (fs.fstatSync(descriptor).ino === fs.statSync(folder).ino) names = fs.readdirSync(folder).toSorted()
    }
    syncBuiltinESMExports()
    try {
      await run()
      return names
    } finally {
      fs.fsyncSync = fsyncSync
      syncBuiltinESMExports()
    }
  }
})

function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return String(error)
  }
  throw new Error('nothing was thrown')
}
