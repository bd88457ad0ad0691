import BetterSqlite3 from 'better-sqlite3'

export type Database = BetterSqlite3.Database

/** Opens the app's own database, and creates missing tables. `:memory:` works, too. */
export function openDatabase(file: string): Database {
  const database = new BetterSqlite3(file)
  database.pragma('journal_mode = WAL')
  database.exec(schema)
  return database
}

const schema = `
  CREATE TABLE IF NOT EXISTS account (
    id TEXT PRIMARY KEY,
    username TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    password_salt BLOB NOT NULL,
    password_hash BLOB NOT NULL
  ) STRICT;

  CREATE TABLE IF NOT EXISTS web_session (
    id TEXT PRIMARY KEY,
    account_id TEXT,
    content TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE IF NOT EXISTS notice (
    user_key TEXT NOT NULL,
    at INTEGER NOT NULL,
    sentence TEXT NOT NULL
  ) STRICT;
`
