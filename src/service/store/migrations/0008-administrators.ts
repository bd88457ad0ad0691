import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

import type { Engine } from './0001-schema.ts'

/** Administrators of the console: their passkeys, invitations and sessions. Nothing of it belongs to a user's factors. */
export const administrators = ({ sequence }: Engine): Migration => ({
  async up(db) {
    for (const statement of statements(sequence)) await sql.raw(statement).execute(db)
  },
})

const statements = (sequence: string): readonly string[] => [
  `create table administrator (
    sequence ${sequence},
    id text not null unique,
    organization_id text not null references organization (id),
    name text not null,
    email text not null,
    role text not null,
    user_id text,
    user_handle text not null unique,
    created_at bigint not null,
    last_seen_at bigint,
    revoked_at bigint,
    version integer default 1 not null
  )`,
  'create index administrator_of_organization on administrator (organization_id, sequence)',
  `create table administrator_domain (
    administrator_id text not null references administrator (id),
    domain_id text not null references domain (id),
    primary key (administrator_id, domain_id)
  )`,
  `create table administrator_passkey (
    sequence ${sequence},
    id text not null unique,
    administrator_id text not null references administrator (id),
    rp_id text not null,
    credential_id text not null unique,
    public_key text not null,
    counter bigint not null,
    transports text not null,
    name text not null,
    syncable integer not null,
    synced integer not null,
    created_at bigint not null,
    last_used_at bigint
  )`,
  'create index administrator_passkey_of_administrator on administrator_passkey (administrator_id, sequence)',
  `create table administrator_invitation (
    id text not null unique,
    token_hash text primary key,
    organization_id text not null references organization (id),
    name text not null,
    email text not null,
    role text not null,
    domain_ids text not null,
    user_id text,
    invited_by text,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  'create index administrator_invitation_of_organization on administrator_invitation (organization_id)',
  'create index administrator_invitation_of_inviter on administrator_invitation (invited_by)',
  'create index administrator_invitation_expired on administrator_invitation (expires_at)',
  `create table administrator_ceremony (
    challenge_hash text primary key,
    kind text not null,
    subject text not null,
    user_handle text not null,
    expires_at bigint not null
  )`,
  'create index administrator_ceremony_of_subject on administrator_ceremony (subject)',
  'create index administrator_ceremony_expired on administrator_ceremony (expires_at)',
  `create table administrator_session (
    hash text primary key,
    administrator_id text not null references administrator (id),
    created_at bigint not null,
    used_at bigint not null,
    passed_at bigint not null
  )`,
  'create index administrator_session_of_administrator on administrator_session (administrator_id)',
  'create index administrator_session_used on administrator_session (used_at)',
]
