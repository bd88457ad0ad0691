import type BetterSqlite3 from 'better-sqlite3'

import { MovedDatabaseError } from '../../base/store-errors.ts'

/** A database whose content is in another one. */
interface MoveMark {
  /** `started`: nobody knows whether the other database has it. */
  readonly state: 'started' | 'done'
  /** The address of the other database, without user and password. */
  readonly to: string
  /** Time of the mark, ISO 8601. */
  readonly at: string
}

/** A row of the table of migrations. */
interface Row {
  readonly name: string
  readonly timestamp?: string
  readonly hash?: string | null
}

/**
 * A moved database has a migration of these names. No version has one, so earlier versions refuse the database, too: as one of a newer
 * version.
 */
const names = { started: '9999-move-started', done: '9999-moved' } as const

/** Whether a row stands for a migration, and not for a move. */
export const isMigration = ({ name }: Pick<Row, 'name'>): boolean => name !== names.started && name !== names.done

/** @throws {MovedDatabaseError} when these migrations say that the database was moved. */
export function refuseMoved(applied: readonly Row[]): void {
  const move = moveOf(applied)
  if (move) throw movedError(move)
}

/** Reads the mark of a SQLite database. */
export const readMove = (database: BetterSqlite3.Database): MoveMark | undefined =>
  moveOf(database.prepare<[], Row>('SELECT * FROM kysely_migration').all())

/** Explains a mark. */
export const movedError = ({ state, to, at }: MoveMark): MovedDatabaseError =>
  new MovedDatabaseError(
    state === 'done'
      ? `The database was moved to ${to} on ${at.slice(0, 10)}. Use that address. If both were in use, codes would be accepted twice. ` +
          'To go back to this file, see docs/leaving.md.'
      : `The move of the database to ${to} was interrupted. Run the same "second-factor database move" again: it finds out ` +
          'whether the copy is complete.',
  )

/** Marks a SQLite database, in place of an earlier mark. @param at Unix time, seconds. */
export function markMoved(database: BetterSqlite3.Database, { state, to }: Omit<MoveMark, 'at'>, at: number): void {
  const mark = database.prepare('INSERT INTO kysely_migration (name, timestamp, hash) VALUES (?, ?, ?)')
  database.transaction(() => {
    unmarkMoved(database)
    mark.run(names[state], new Date(at * 1000).toISOString(), to)
  })()
}

/** The database may be used again. */
export function unmarkMoved(database: BetterSqlite3.Database): void {
  database.prepare('DELETE FROM kysely_migration WHERE name IN (?, ?)').run(names.started, names.done)
}

function moveOf(rows: readonly Row[]): MoveMark | undefined {
  const row = rows.find((candidate) => !isMigration(candidate))
  if (!row) return undefined
  return { state: row.name === names.done ? 'done' : 'started', to: row.hash ?? '', at: row.timestamp ?? '' }
}
