import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'

import BetterSqlite3 from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { createSqliteDialect } from '../../../../src/service/engine/database/sqlite-dialect.ts'
import { createWriter } from '../../../../src/service/engine/database/sqlite-writer.ts'

interface Tables {
  readonly note: { text: string; about: string | null }
}

let folder: string
let statements: string[]
let writing: BetterSqlite3.Database
/** Reads committed changes, as another process would. */
let other: BetterSqlite3.Database
let db: Kysely<Tables>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-groups-'))
  const file = join(folder, 'notes.sqlite')
  statements = []
  writing = new BetterSqlite3(file, { verbose: (statement) => statements.push(String(statement)) })
  writing.pragma('journal_mode = WAL')
  // The foreign key is checked at the end of the transaction, so that COMMIT itself can fail.
  writing.exec(`CREATE TABLE note (
    text TEXT PRIMARY KEY,
    about TEXT REFERENCES note (text) DEFERRABLE INITIALLY DEFERRED)`)
  writing.pragma('foreign_keys = ON')
  other = new BetterSqlite3(file)
  const writer = createWriter(writing, { timeout: () => 2_000, failed: (error) => error })
  db = new Kysely({ dialect: createSqliteDialect({ writer, reader: new BetterSqlite3(file, { readonly: true }) }) })
  statements.length = 0
})
afterEach(() => {
  writing.close()
  other.close()
  rmSync(folder, { recursive: true })
})

const storedTexts = () => other.prepare<[], string>('SELECT text FROM note ORDER BY text').pluck().all()
const count = (statement: string) => statements.filter((executed) => executed === statement).length
const write = (text: string, about: string | null = null) =>
  db.transaction().execute((tx) => tx.insertInto('note').values({ text, about }).execute())
/** Whether each was committed, in order. */
const outcomes = async (units: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(units)).map(({ status }) => status === 'fulfilled')

describe('units of work on a SQLite file', () => {
  it('units of work that arrive in one turn of the event loop share one SQLite transaction', async () => {
    await Promise.all(['a', 'b', 'c'].map((text) => write(text)))

    expect([count('begin immediate'), count('savepoint unit'), count('commit')]).toEqual([1, 3, 1])
    expect(storedTexts()).toEqual(['a', 'b', 'c'])
  })

  it('units of work share a SQLite transaction with changes made outside of one', async () => {
    await Promise.all([write('a'), db.insertInto('note').values({ text: 'b', about: null }).execute(), write('c')])

    expect([count('begin immediate'), count('commit')]).toEqual([1, 1])
    expect(storedTexts()).toEqual(['a', 'b', 'c'])
  })

  it('a SQLite transaction contains at most 64 units of work', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, number) => write(`${number}`)))

    expect([count('savepoint unit'), count('commit')]).toEqual([100, 2])
    expect(
      statements.slice(0, statements.indexOf('commit')).filter((executed) => executed === 'savepoint unit'),
    ).toHaveLength(64)
  })

  it('units of work wait for those of the next turns, while other processes can write to the SQLite file', async () => {
    const units = []
    for (const text of ['a', 'b', 'c']) {
      units.push(write(text))
      await nextTurn()
      other.prepare('INSERT INTO note (text) VALUES (?)').run(`${text}, elsewhere`)
    }
    await Promise.all(units)

    expect([count('begin immediate'), count('commit')]).toEqual([1, 1])
    expect(storedTexts()).toHaveLength(6)
  })

  it('units of work are committed in the turn in which their SQLite transaction begins, so none outlives its turn', async () => {
    const units = [write('a'), write('b')]
    while (count('begin immediate') === 0) await nextTurn()

    expect(count('commit')).toBe(1)

    await Promise.all([...units, write('c')])

    expect(count('commit')).toBe(2)
  })

  it('units of work are acknowledged when SQLite has committed them, and not before', async () => {
    const snapshots: string[][] = []

    await Promise.all(['a', 'b', 'c'].map((text) => write(text).then(() => snapshots.push(storedTexts()))))

    expect(snapshots).toEqual(Array.from({ length: 3 }, () => ['a', 'b', 'c']))
  })

  it('units of work are not visible to reads before SQLite commits them', async () => {
    const reading: Promise<unknown>[] = []
    const first = write('a')
    await db.transaction().execute(async (tx) => {
      reading.push(db.selectFrom('note').selectAll().execute())
      await tx.insertInto('note').values({ text: 'b', about: null }).execute()
    })
    await first

    expect(await Promise.all(reading)).toEqual([[]])
  })

  it('units of work see the changes of earlier units in the same SQLite transaction', async () => {
    const [, rows] = await Promise.all([
      write('a'),
      db.transaction().execute((tx) => tx.selectFrom('note').select('text').execute()),
    ])

    expect(rows).toEqual([{ text: 'a' }])
  })
})

describe('a unit of work that fails', () => {
  it('a unit of work that fails rolls back its own changes, and affects no other unit', async () => {
    const first = write('a')
    const failing = db.transaction().execute(async (tx) => {
      await tx.insertInto('note').values({ text: 'b', about: null }).execute()
      throw new Error('not this one')
    })

    expect(await outcomes([first, failing, write('a'), write('c')])).toEqual([true, false, false, true])
    expect(storedTexts()).toEqual(['a', 'c'])
    expect(count('commit')).toBe(1)
  })

  it('a failed COMMIT fails all units of work of its turn, and no later ones', async () => {
    expect(await outcomes([write('a'), write('b', 'nothing'), write('c')])).toEqual([false, false, false])
    expect([storedTexts(), writing.inTransaction]).toEqual([[], false])

    await write('d')

    expect(storedTexts()).toEqual(['d'])
  })

  it('a rollback of everything by SQLite fails the earlier units, and its own unit does not continue', async () => {
    const first = write('a')
    const rollingBack = db.transaction().execute(async (tx) => {
      await sql`INSERT OR ROLLBACK INTO note (text) VALUES ('a')`.execute(tx).catch(() => {})
      await tx.insertInto('note').values({ text: 'b', about: null }).execute()
    })

    expect(await outcomes([first, rollingBack, write('c')])).toEqual([false, false, true])
    expect(storedTexts()).toEqual(['c'])
  })
})
