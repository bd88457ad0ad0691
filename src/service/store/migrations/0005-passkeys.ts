import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

import type { Engine } from './0001-schema.ts'

/** Passkeys, and the ceremonies that make and use them. Rows of ceremonies end by themselves after minutes. */
export const passkeys = ({ sequence }: Engine): Migration => ({
  async up(db) {
    for (const statement of statements(sequence)) await sql.raw(statement).execute(db)
  },
})

const statements = (sequence: string): readonly string[] => [
  `create table passkey (
    sequence ${sequence},
    id text not null unique,
    organization_id text not null references organization (id),
    user_id text not null references "user" (id),
    rp_id text not null,
    credential_id text not null,
    public_key text not null,
    counter bigint not null,
    transports text not null,
    name text not null,
    syncable integer not null,
    synced integer not null,
    created_at bigint not null,
    last_used_at bigint,
    constraint passkey_credential unique (organization_id, credential_id)
  )`,
  'create index passkey_of_user on passkey (user_id, sequence)',
  `create table passkey_ceremony (
    challenge_hash text primary key,
    domain_id text not null references domain (id),
    user_id text not null references "user" (id),
    kind text not null,
    rp_id text not null,
    origins text not null,
    purpose text,
    challenge text not null,
    expires_at bigint not null
  )`,
  'create index passkey_ceremony_of_user on passkey_ceremony (user_id)',
  'create index passkey_ceremony_expired on passkey_ceremony (expires_at)',
  'alter table session add column user_verified integer default 0 not null',
]
