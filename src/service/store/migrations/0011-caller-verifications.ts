import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

import type { Engine } from './0001-schema.ts'

/** Questions of the help desk to the devices of people who call. They are no sessions, so none of them signs a user in. */
export const callerVerifications = ({ sequence }: Engine): Migration => ({
  async up(db) {
    for (const statement of statements(sequence)) await sql.raw(statement).execute(db)
  },
})

const statements = (sequence: string): readonly string[] => [
  `create table caller_verification (
    sequence ${sequence},
    id text not null unique,
    organization_id text not null references organization (id),
    domain_id text not null references domain (id),
    user_id text not null,
    device_id text not null,
    requested_by text not null,
    state text not null,
    nonce text not null,
    "number" text not null,
    answered_decision text,
    answered_number text,
    created_at bigint not null,
    expires_at bigint not null,
    settled_at bigint
  )`,
  "create index caller_verification_pending on caller_verification (device_id) where state = 'pending'",
  'create index caller_verification_of_device on caller_verification (device_id, sequence)',
  'create index caller_verification_of_user on caller_verification (user_id, settled_at)',
  'create index caller_verification_settled on caller_verification (settled_at)',
  'create index caller_verification_expired on caller_verification (expires_at)',
]
