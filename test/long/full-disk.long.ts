import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { build } from '../../scripts/build.ts'
import { command, serve } from '../processes/command.ts'
import { createCall, newUser } from '../service/start-service.ts'

describe('a full file system', () => {
  let folder: string
  let database: string
  const filler = () => join(folder, 'filler')

  beforeAll(async () => void (await build({ types: false })))
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-full-'))
    mkdirSync(folder, { recursive: true })
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'pipe' })
    } catch (cause) {
      throw new Error('This test mounts a small file system: run it as root on Linux, with mount from util-linux.', {
        cause,
      })
    }
    database = join(folder, 'mfa.sqlite')
  })
  afterEach(() => {
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true })
  })

  function fill(): void {
    const { bavail, bsize } = statfsSync(folder)
    writeFileSync(filler(), Buffer.alloc(bavail * bsize))
  }

  it('the service loses no acknowledged change in ten rounds of a full disk, and works again each time', async () => {
    const { apiKey } = (await command(['init', '--database', database, '--json'])).json
    const service = await serve(database)
    onTestFinished(service.kill)
    const call = createCall(service.origin, apiKey)
    const ready = async () => (await fetch(`${service.origin}/readyz`)).status
    const acknowledged: string[] = []
    let number = 0
    const add = async () => {
      number += 1
      const { status, json } = await call('POST', '/users', { body: newUser(`user-${number}`) })
      if (status === 200) acknowledged.push(json.username)
      return status
    }

    const rounds: unknown[] = []
    for (let round = 0; round < 10; round += 1) {
      const before = await add()
      fill()
      let refused = 200
      while (refused === 200) refused = await add()
      const during = [await ready(), (await call('GET', '/users')).status]
      rmSync(filler())
      await expect.poll(ready).toBe(200)
      rounds.push([before, refused, ...during])
    }
    const stored: string[] = []
    for (let page = 1; stored.length < acknowledged.length; page += 1) {
      const { json } = await call('GET', `/users?page=${page}`)
      if (json.length === 0) break
      stored.push(...json.map(({ username }: { username: string }) => username))
    }

    expect(rounds).toEqual(rounds.map(() => [200, 503, 503, 200]))
    expect(stored).toEqual(acknowledged)
  })

  it('the error names a full file system when serve starts', async () => {
    await command(['init', '--database', database])
    fill()

    const { code, stderr } = await command(['serve', '--database', database, '--port', '0'])

    expect([code, stderr.trim()]).toEqual([
      1,
      `Can't open the database ${database}: the disk is full. Free some space first.`,
    ])
  })
})
