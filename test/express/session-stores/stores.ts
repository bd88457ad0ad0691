import session from 'express-session'
import type { SessionData, Store } from 'express-session'
import connectPgSimple from 'connect-pg-simple'
import { Pool } from 'pg'

import { openDatabase } from '../../../example-app/storage/database.ts'
import { SessionStore } from '../../../example-app/storage/session-store.ts'
import { openPostgres } from '../../support/postgres.ts'

export interface OpenStore {
  readonly store: Store
  close(): unknown
}

/** Where apps keep web sessions, for `describe.each`. */
export const stores: readonly (readonly [name: string, open: () => OpenStore | Promise<OpenStore>])[] = [
  ['memory', () => ({ store: new session.MemoryStore(), close() {} })],
  ['SQLite', openSqlite],
  ['a store such as Redis', () => ({ store: new RedisLikeStore(), close() {} })],
  ['PostgreSQL', openPostgresStore],
]

function openSqlite(): OpenStore {
  const database = openDatabase(':memory:')
  return { store: new SessionStore(database, () => Math.floor(Date.now() / 1000)), close: () => database.close() }
}

async function openPostgresStore(): Promise<OpenStore> {
  const postgres = await openPostgres()
  const PostgresStore = connectPgSimple(session)
  const pool = new Pool({ connectionString: await postgres.createEmptyDatabase() })
  return {
    store: new PostgresStore({ pool, createTableIfMissing: true, pruneSessionInterval: false }),
    async close() {
      await endOf(pool)
      await postgres.stop()
    },
  }
}

/** The pool says it has ended before its connections have, and a server that stops meanwhile would say so on them. */
async function endOf(pool: Pool): Promise<void> {
  let remaining = pool.totalCount
  const closing = new Promise<void>((resolve) => {
    if (remaining === 0) resolve()
    pool.on('remove', () => {
      remaining -= 1
      if (remaining === 0) resolve()
    })
  })
  await pool.end()
  await closing
}

/** What connect-redis does: JSON text with a time to live, each answer a while later, `touch` only for what is there. */
class RedisLikeStore extends session.Store {
  readonly #entries = new Map<string, { text: string; expiresAt: number }>()

  override get(id: string, done: (error: unknown, content?: SessionData | null) => void): void {
    setImmediate(() => done(null, this.#read(id)))
  }

  override set(id: string, content: SessionData, done?: (error?: unknown) => void): void {
    this.#entries.set(id, { text: JSON.stringify(content), expiresAt: expiryOf(content) })
    setImmediate(() => done?.())
  }

  override touch(id: string, content: SessionData, done?: () => void): void {
    const entry = this.#entries.get(id)
    if (entry) entry.expiresAt = expiryOf(content)
    setImmediate(() => done?.())
  }

  override destroy(id: string, done?: (error?: unknown) => void): void {
    this.#entries.delete(id)
    setImmediate(() => done?.())
  }

  #read(id: string): SessionData | null {
    const entry = this.#entries.get(id)
    return entry && entry.expiresAt > Date.now() ? (JSON.parse(entry.text) as SessionData) : null
  }
}

function expiryOf({ cookie }: SessionData): number {
  return Date.now() + (cookie.originalMaxAge ?? 86_400_000)
}
