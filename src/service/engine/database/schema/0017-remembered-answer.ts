import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Answers to creating calls, for callers who repeat a call with the same `Idempotency-Key`. */
export const rememberedAnswer: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

// No foreign keys: each row ends after ten minutes, and an embedded app's API key is not stored.
const statements = [
  `create table remembered_answer (
    id text not null primary key,
    api_key_id text not null,
    domain_id text,
    answer text not null,
    expires_at bigint not null
  )`,
  'create index remembered_answer_expired on remembered_answer (expires_at)',
]
