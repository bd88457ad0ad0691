import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'

import BetterSqlite3 from 'better-sqlite3'
import { describe, expect, it } from 'vitest'

import { restoreSchema14 } from '../../service/engine/database/earlier-schema.ts'
import { inFullRun } from '../../support/full-run.ts'
import { run, runIn, useDatabase } from './run-command.ts'

describe('second-factor check', () => {
  const { place, file, admin } = useDatabase()

  function change(statement: string, database = place.database): void {
    const opened = new BetterSqlite3(database)
    opened.exec(statement)
    opened.close()
  }

  inFullRun('check says that a database is intact', async () => {
    const { stdout, code } = await admin('check')

    expect([stdout, code]).toEqual([`${place.database} is intact.\n`, 0])
  })

  inFullRun('check accepts a database of an earlier build, and does not upgrade it', async () => {
    const database = file('earlier.sqlite')
    await restoreSchema14('SQLite', database)
    const before = readFileSync(database)
    const { code } = await run('check', '--database', database)

    expect([code, readFileSync(database).equals(before)]).toEqual([0, true])
  })

  inFullRun(
    'restore says that it has upgraded a backup of an earlier version, which that version no longer opens',
    async () => {
      const backup = file('earlier.sqlite')
      const { keys } = await restoreSchema14('SQLite', backup)
      const earlier = await runIn({ MFA_KEYS: keys }, 'restore', backup, '--database', place.database, '--yes')
      const current = await runIn(
        { MFA_KEYS: keys },
        'restore',
        place.database,
        '--database',
        file('copy.sqlite'),
        '--yes',
      )

      expect(earlier.stdout).toMatch(
        /Upgraded +for this version. To go back to an earlier version, restore the backup with/,
      )
      expect([current.code, current.stdout]).toEqual([0, expect.not.stringContaining('Upgraded')])
    },
  )

  it.each([
    [
      'of another build',
      "update kysely_migration set hash = 'other'",
      'made by another build of second-factor, not by',
    ],
    ['of a newer version', "insert into kysely_migration values ('9001-later', '', '')", 'made by a newer version'],
    ['of another app', 'drop table hardware_token', 'is not a database of second-factor. Choose another file.'],
  ])('check and restore reject a database %s, with the reason', async (_, statement, reason) => {
    const backup = file('backup.sqlite')
    writeFileSync(backup, readFileSync(place.database))
    change(statement, backup)

    const checked = await run('check', '--database', backup)
    const restored = await run('restore', backup, '--database', place.database, '--yes')

    expect([checked.code, restored.code]).toEqual([1, 1])
    expect(checked.stderr).toContain(reason)
    expect(restored.stderr).toContain(reason)
  })

  it('check and restore reject a folder, and say so', async () => {
    const folder = file('folder.sqlite')
    mkdirSync(folder)

    const checked = await run('check', '--database', folder)
    const restored = await run('restore', folder, '--database', place.database, '--yes')

    const reason = `${folder} is not a regular file. Choose another path.\n`
    expect([checked.code, checked.stderr]).toEqual([1, reason])
    expect([restored.code, restored.stderr]).toEqual([1, reason])
  })

  it('check says what to do about a file that SQLite cannot open', async () => {
    // Only a folder keeps SQLite from opening the log beside the file, also as root.
    change('pragma journal_mode = wal')
    mkdirSync(`${place.database}-wal`)

    const { stderr, code } = await admin('check')

    expect([code, stderr]).toEqual([1, expect.stringContaining(`${place.database} cannot be opened. Check its owner`)])
  })

  inFullRun('check rejects a database without hashes whose tables are those of another build', async () => {
    const database = file('earlier.sqlite')
    await restoreSchema14('SQLite', database)
    change('alter table domain add column color text', database)
    const { stderr, code } = await run('check', '--database', database)

    expect(code).toBe(1)
    expect(stderr).toContain('its tables are not those that its migrations make')
  })

  inFullRun('a command that opens a database of another build says so, and what to do', async () => {
    change("update kysely_migration set hash = 'other' where name = '0003-consent-subject'")
    const { stderr, code } = await admin('user', 'list')

    expect(code).toBe(1)
    expect(stderr).toContain(
      'another build of second-factor, not by a newer version: its migration 0003-consent-subject',
    )
    expect(stderr).toContain('Open it with the build that made it, or restore a backup')
  })
})
