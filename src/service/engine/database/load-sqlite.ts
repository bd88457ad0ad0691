import type BetterSqlite3 from 'better-sqlite3'

import { loadOptional } from '../base/optional-package.ts'

/** Before version 13.2, better-sqlite3 crashes on current versions of Node. */
const library = { name: 'better-sqlite3', purpose: 'A SQLite database', oldest: '13.2' }

/** @throws {SetupError} where better-sqlite3 is missing or too old. */
export async function loadSqlite(): Promise<typeof BetterSqlite3> {
  const { default: Sqlite } = await loadOptional(library, () => import('better-sqlite3'))
  return Sqlite
}
