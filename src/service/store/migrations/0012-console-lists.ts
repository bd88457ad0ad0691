import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What the lists and figures of the console need. */
export const consoleLists: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements: readonly string[] = [
  // The console reads the trail of one organization from its end. Its entries come in this order, so the index costs
  // 1 microsecond an entry. An index on the person would cost 60, as its keys come in any order.
  'create index audit_organization on audit (organization_id, position)',
  // Few people are locked, and few requests are reported, so these cost next to nothing.
  `create index user_codes_locked on "user" (organization_id, codes_locked_until)
    where codes_locked_until is not null`,
  `create index user_known_codes_locked on "user" (organization_id, known_codes_locked_until)
    where known_codes_locked_until is not null`,
  "create index session_reported on session (settled_at) where reason = 'reported'",
  `create table enrollment_count (
    domain_id text primary key,
    members bigint not null,
    enrolled bigint not null,
    only_email bigint not null,
    counted_at bigint not null
  )`,
]
