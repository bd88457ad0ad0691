import session from 'express-session'
import type { SessionData } from 'express-session'
import { z } from 'zod'

import type { Database } from './database.ts'

/** How long a web session lives after its last use, seconds. */
export const webSessionLifetime = 24 * 60 * 60

const Content = z.object({ passport: z.object({ user: z.string().optional() }).optional() })

/** Stores web sessions in SQLite, so that people stay signed in when the app restarts. */
export class SessionStore extends session.Store {
  readonly #database: Database
  /** Unix time, seconds. */
  readonly #now: () => number

  constructor(database: Database, now: () => number) {
    super()
    this.#database = database
    this.#now = now
    this.#run('DELETE FROM web_session WHERE expires_at <= :now', { now: now() })
  }

  override get(id: string, callback: (error: unknown, content?: SessionData | null) => void): void {
    answer(callback, () => {
      const select = 'SELECT content FROM web_session WHERE id = :id AND expires_at > :now'
      const row = this.#database.prepare<object, { content: string }>(select).get({ id, now: this.#now() })
      return row ? (JSON.parse(row.content) as SessionData) : null
    })
  }

  override set(id: string, content: SessionData, callback?: (error: unknown) => void): void {
    answer(callback, () =>
      this.#run(
        `INSERT INTO web_session (id, account_id, content, expires_at) VALUES (:id, :account, :content, :expires)
         ON CONFLICT (id) DO UPDATE SET account_id = :account, content = :content, expires_at = :expires`,
        { id, account: accountOf(content), content: JSON.stringify(content), expires: this.#expiry() },
      ),
    )
  }

  override destroy(id: string, callback?: (error: unknown) => void): void {
    answer(callback, () => this.#run('DELETE FROM web_session WHERE id = :id', { id }))
  }

  /** Only extends: a web session that has ended in the meantime stays ended. */
  override touch(id: string, _content: SessionData, callback?: (error?: unknown) => void): void {
    answer(callback, () =>
      this.#run('UPDATE web_session SET expires_at = :expires WHERE id = :id', { id, expires: this.#expiry() }),
    )
  }

  /** Signs an account out everywhere else. */
  endOthers(account: string, currentSession: string): void {
    this.#run('DELETE FROM web_session WHERE account_id = :account AND id <> :here', { account, here: currentSession })
  }

  #run(sql: string, values: object): void {
    this.#database.prepare(sql).run(values)
  }

  #expiry(): number {
    return this.#now() + webSessionLifetime
  }
}

/** The signed-in account, where Passport stores it. */
function accountOf(content: SessionData): string | null {
  return Content.parse(content).passport?.user ?? null
}

function answer<T>(callback: ((error: unknown, value?: T) => void) | undefined, work: () => T): void {
  let value: T
  try {
    value = work()
  } catch (error) {
    callback?.(error)
    return
  }
  callback?.(null, value)
}
