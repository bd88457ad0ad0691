import { copyFileSync, lstatSync, mkdirSync, realpathSync, renameSync, symlinkSync } from 'node:fs'

import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'

import { inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { place, admin, json, file } = useDatabase()

const makeUser = (username: string) =>
  json('user', 'create', username, '--name', username, '--email', 'someone@example.com')

/** Moves a file to a folder of its own, as to another disk, and leaves a link. */
function moveAway(path: string, name: string): string {
  mkdirSync(file('disk'), { recursive: true })
  renameSync(path, file(`disk/${name}`))
  symlinkSync(file(`disk/${name}`), path)
  return file(`disk/${name}`)
}

describe('second-factor with links and files that others have left', () => {
  it('second-factor restore replaces the file that a symbolic link leads to, and not the link', async () => {
    await makeUser('alice')
    await admin('backup', file('mfa.backup'))
    const moved = moveAway(place.database, 'mfa.sqlite')
    await makeUser('bob')

    const { replaced } = await json('restore', file('mfa.backup'), '--yes')

    expect(lstatSync(place.database).isSymbolicLink()).toBe(true)
    expect(realpathSync(place.database)).toBe(realpathSync(moved))
    expect(replaced).toMatch(/disk\/mfa\.sqlite\.replaced-\d+$/)
    expect((await json('user', 'list')).map(({ username }: { username: string }) => username)).toEqual(['alice'])
  })

  inFullRun(
    'second-factor restore reads what lies in the log beside the file that a symbolic link leads to',
    async () => {
      await makeUser('alice')
      const writer = new Sqlite(place.database)
      writer.exec('update "user" set name = \'Alice Doe\'')
      mkdirSync(file('disk'))
      for (const suffix of ['', '-wal']) copyFileSync(place.database + suffix, file(`disk/old.sqlite${suffix}`))
      writer.close()
      symlinkSync(file('disk/old.sqlite'), file('old.sqlite'))

      await admin('restore', file('old.sqlite'), '--yes')

      expect(await json('user', 'list')).toMatchObject([{ username: 'alice', name: 'Alice Doe' }])
    },
  )

  it('second-factor restore takes nothing from a restore of another backup that was killed', async () => {
    await makeUser('alice')
    await admin('backup', file('mfa.backup'))
    const writer = new Sqlite(place.database)
    writer.exec('update "user" set name = \'Mallory\'')
    copyFileSync(`${place.database}-wal`, `${place.database}.restoring-wal`)
    writer.close()

    const { code, stderr } = await admin('restore', file('mfa.backup'), '--yes')

    expect([code, stderr]).toEqual([0, ''])
    expect(await json('user', 'list')).toMatchObject([{ username: 'alice', name: 'alice' }])
  })

  it('second-factor keys add changes the file that a symbolic link leads to, and not the link', async () => {
    const keyFile = `${place.database}.keys`
    const moved = moveAway(keyFile, 'mfa.keys')

    await admin('keys', 'add')

    expect(realpathSync(keyFile)).toBe(realpathSync(moved))
    expect((await json('keys', 'status')).keys).toMatchObject([
      { id: expect.stringMatching(/^k2_/), first: true },
      { id: 'k1' },
    ])
  })

  it('second-factor backup says in one line why it cannot write', async () => {
    const { code, stderr } = await admin('backup', file('none/mfa.backup'))

    expect([code, stderr]).toEqual([1, `Can't write ${file('none/mfa.backup')}: no such folder. Check the path.\n`])
  })

  inFullRun('second-factor restore names the backup whose key is missing, and not the copy that it makes', async () => {
    await admin('backup', file('mfa.backup'))
    for (const change of [['add'], ['rotate'], ['remove', 'k1']]) await admin('keys', ...change)

    const { code, stderr } = await admin('restore', file('mfa.backup'), '--yes')

    expect(code).toBe(1)
    expect(stderr).toContain(
      `Can't open the database ${realpathSync(file('mfa.backup'))}: its secrets are sealed with the key "k1"`,
    )
  })
})
