import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { afterEach, describe, expect, it, vi } from 'vitest'

import { systemRandom } from '../../../src/service/engine/base/random.ts'
import { addKey } from '../../../src/service/engine/secrets/edit-key-file.ts'
import { createService } from '../../../src/service/index.ts'
import type { Service } from '../../../src/service/index.ts'
import { createTestClock } from '../../../src/testing/clock.ts'
import { inFullRun } from '../../support/full-run.ts'
import { run, useDatabase } from './run-command.ts'

const { place, admin, json, file } = useDatabase()

let service: Service | undefined
afterEach(async () => {
  vi.unstubAllEnvs()
  await service?.close()
  service = undefined
})

const keyFile = () => `${place.database}.keys`
const ids = () => readFileSync(keyFile(), 'utf8').match(/^\w+(?=:)/gm)
const seed = '3132333435363738393031323334353637383930'

describe('second-factor keys', () => {
  inFullRun('second-factor keys lists the keys and what they encrypt', async () => {
    await admin('hardware', 'create', 'S1', '--seed', seed)

    const { keys, nodes } = await json('keys', 'status')

    expect(keys).toEqual([{ id: 'k1', present: true, first: true, inUse: true, values: 1, emailCodes: 0 }])
    expect(nodes).toEqual([])
    expect((await admin('keys', 'status')).stdout).toMatch(/k1 +first +yes +1 +0\n[^]*No nodes are running/)
  })

  inFullRun('a key file that cannot be read is named, and not the database beside it', async () => {
    rmSync(keyFile())
    mkdirSync(keyFile())

    const { stderr, code } = await admin('keys', 'status')

    const reason = `The key file ${keyFile()} cannot be read: it is a folder.`
    expect([code, stderr]).toEqual([1, `Can't open the database ${place.database}: ${reason}\n`])
  })

  inFullRun('second-factor keys replaces a key in three steps: add, rotate, remove', async () => {
    await admin('hardware', 'create', 'S1', '--seed', seed)

    const added = await json('keys', 'add')
    const rotated = await json('keys', 'rotate')
    const secondRotation = await json('keys', 'rotate')
    const removed = await json('keys', 'remove', 'k1')
    const { key } = added

    expect(added).toEqual({ key: expect.stringMatching(/^k2_[0-9a-f]{8}$/), file: keyFile() })
    expect(rotated).toEqual({ key, resealed: 1, retired: ['k1'] })
    expect(secondRotation).toEqual({ key, resealed: 0, retired: [] })
    expect(removed).toEqual({ removed: 'k1' })
    expect(ids()).toEqual([key])
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600)
    expect((await json('keys', 'status')).keys).toMatchObject([{ id: key, values: 1 }])
  })

  inFullRun('second-factor keys add never gives a new key the id of an old one', async () => {
    const used = ['k1']
    for (let count = 0; count < 2; count += 1) {
      used.push((await json('keys', 'add')).key)
      await admin('keys', 'rotate')
      await admin('keys', 'remove', used.at(-2)!)
    }

    expect((await json('keys', 'add')).key).toMatch(/^k4_/)
    expect(ids()).toEqual([expect.stringMatching(/^k4_/), used.at(-1)])
  })

  inFullRun(
    'second-factor keys add never repeats an id, also where an older copy of the key file was restored',
    async () => {
      await admin('hardware', 'create', 'S1', '--seed', seed)
      copyFileSync(keyFile(), file('older.keys'))
      await admin('backup', file('older.backup'))
      const { key: first } = await json('keys', 'add')
      await admin('keys', 'rotate')
      await admin('backup', file('newer.backup'))
      const newer = readFileSync(keyFile(), 'utf8').split('\n')[0]

      copyFileSync(file('older.keys'), keyFile())
      await admin('restore', file('older.backup'), '--yes')
      const { key: second } = await json('keys', 'add')
      writeFileSync(keyFile(), `${readFileSync(keyFile(), 'utf8')}${newer}\n`)
      const { code, stderr } = await admin('restore', file('newer.backup'), '--yes')

      expect(second).not.toBe(first)
      expect([code, stderr]).toEqual([0, ''])
    },
  )

  it('second-factor keys loses no key when two commands change the file at once', async () => {
    const results = await Promise.allSettled([addKey(keyFile(), systemRandom), addKey(keyFile(), systemRandom)])

    const added = results.filter(({ status }) => status === 'fulfilled').length
    expect(ids()).toHaveLength(1 + added)
    expect(new Set(ids()).size).toBe(1 + added)
    expect(existsSync(`${keyFile()}.changed`)).toBe(false)
  })

  it('a key file beside which no file can be made says so, and not that none can be removed', async () => {
    const path = join(dirname(keyFile()), 'k'.repeat(250))
    copyFileSync(keyFile(), path)

    await expect(addKey(path, systemRandom)).rejects.toMatchObject({ code: 'ENAMETOOLONG', syscall: 'open' })
  })

  inFullRun('second-factor keys add says what to do about the file that a killed command has left', async () => {
    writeFileSync(`${keyFile()}.changed`, '')

    const { code, stderr } = await admin('keys', 'add')

    expect([code, stderr]).toEqual([1, expect.stringContaining(`If none is running, remove ${keyFile()}.changed`)])
    expect(ids()).toEqual(['k1'])
  })

  inFullRun('second-factor keys lets a running service load the new key', async () => {
    // A node lives for 30 s after it was seen, and writes with what it has for long enough after 15 s: amid the two.
    const clock = createTestClock(Math.floor(Date.now() / 1000) - 25)
    service = await createService({ database: place.database, clock })

    const { key } = await json('keys', 'add')
    const nodesBefore = (await json('keys', 'status')).nodes
    await clock.advance(10)
    await expect.poll(async () => (await json('keys', 'status')).nodes as unknown).toMatchObject([{ writesWith: key }])
    const rotated = await json('keys', 'rotate')

    expect(nodesBefore).toMatchObject([{ keys: ['k1'], writesWith: 'k1' }])
    expect(rotated.retired).toEqual(['k1'])
  })

  inFullRun.each([
    ['the first key', undefined, 'in use'],
    ['a key that may still encrypt something', 'k1', 'in use'],
    ['an unknown key', 'k9', 'No key'],
  ])('second-factor keys does not remove %s', async (_name, id, message) => {
    const { key } = await json('keys', 'add')

    const { code, stderr } = await admin('keys', 'remove', id ?? key)

    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
    expect(ids()).toEqual([key, 'k1'])
  })

  inFullRun('second-factor keys does not change keys that come from the environment', async () => {
    const [, secret] = readFileSync(keyFile(), 'utf8').trim().split(':')
    vi.stubEnv('MFA_KEYS', `k1:${secret}`)

    const { code, stderr } = await admin('keys', 'add')

    expect([code, stderr]).toEqual([2, expect.stringContaining('Change them where they are set')])
  })

  inFullRun('second-factor keys reads keys from a file, never from the command line', async () => {
    const [, secret] = readFileSync(keyFile(), 'utf8').trim().split(':')
    writeFileSync(file('keys.txt'), `k2:${Buffer.alloc(32, 2).toString('base64')}\nk1:${secret}\n`)

    const rotated = await json('keys', 'rotate', '--keys', `@${file('keys.txt')}`)
    const typed = await admin('keys', 'rotate', '--keys', `k1:${secret}`)

    expect(rotated.key).toBe('k2')
    expect([typed.code, typed.stderr.includes(secret!)]).toEqual([2, false])
  })

  inFullRun('second-factor user list rejects keys that do not match the database', async () => {
    vi.stubEnv('MFA_KEYS', `k1:${Buffer.alloc(32, 9).toString('base64')}`)

    const { code, stderr } = await admin('user', 'list')

    expect([code, stderr]).toEqual([1, expect.stringContaining('sealed with a different key that is also called "k1"')])
  })

  inFullRun('second-factor init advises you to back up the keys that it creates', async () => {
    const { stdout, stderr } = await run('init', '--database', file('other.sqlite'), '--json')

    expect(stderr).toContain(`the keys in ${file('other.sqlite')}.keys`)
    expect(stderr).toContain('Back up that file, apart from the database')
    expect(stdout).not.toContain('Back up that file')
  })
})
