import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Sign-ins counted by day. No foreign key: the counts come from the audit trail, whose entries stay when a domain is deleted. */
export const signInDays: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements: readonly string[] = [
  `create table sign_in_day (
    domain_id text not null,
    day bigint not null,
    outcome text not null,
    factor text not null,
    count bigint not null,
    primary key (domain_id, day, outcome, factor)
  )`,
  'create index sign_in_day_day on sign_in_day (day)',
  'alter table audit_writer add column counted_sequence bigint default 0 not null',
]
