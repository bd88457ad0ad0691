import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Actions of administrators on many people. */
export const bulkJobs: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements: readonly string[] = [
  `create table bulk_job (
    id text primary key,
    organization_id text not null references organization (id),
    requested_by text not null references administrator (id),
    action text not null,
    domain_id text references domain (id),
    because text not null,
    state text not null,
    people bigint not null,
    created_at bigint not null,
    started_at bigint,
    finished_at bigint,
    expires_at bigint not null,
    holder text,
    held_until bigint
  )`,
  // Each administrator runs one job at a time, whatever races.
  "create unique index bulk_job_running on bulk_job (requested_by) where state = 'running'",
  'create index bulk_job_of_organization on bulk_job (organization_id, created_at)',
  'create index bulk_job_expired on bulk_job (expires_at)',
  // Without a foreign key: a report still says what became of people who were deleted since.
  `create table bulk_item (
    job_id text not null,
    user_id text not null,
    state text not null,
    reason text,
    expires_at bigint not null,
    primary key (job_id, user_id)
  )`,
  'create index bulk_item_state on bulk_item (job_id, state, user_id)',
  'create index bulk_item_expired on bulk_item (expires_at)',
]
