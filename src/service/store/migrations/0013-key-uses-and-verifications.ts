import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** When an API key was last used, and the verification of the audit trail that the console shows. */
export const keyUsesAndVerifications: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements: readonly string[] = [
  'alter table api_key add column used_at bigint',
  `create table audit_verification (
    organization_id text primary key references organization (id),
    state text not null,
    requested_at bigint not null,
    requested_by text not null,
    beat_at bigint,
    percent bigint default 0 not null,
    finished_at bigint,
    finished_for text,
    entries bigint,
    findings bigint,
    broken text
  )`,
]
