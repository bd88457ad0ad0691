import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

import type { Engine } from './0001-schema.ts'

/** What the console finds people by, and what the help desk asks to be approved. Triggers keep the search up to date. */
export const peopleSearch = ({ search }: Engine): Migration => ({
  async up(db) {
    for (const statement of [...approvals, ...search]) await sql.raw(statement).execute(db)
  },
})

const approvals: readonly string[] = [
  `create table approval (
    id text primary key,
    organization_id text not null references organization (id),
    operation text not null,
    user_id text not null,
    requested_by text not null references administrator (id),
    because text not null,
    decided_by text,
    state text not null,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  'create index approval_of_organization on approval (organization_id, created_at)',
  'create index approval_expired on approval (expires_at)',
]
