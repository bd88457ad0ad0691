import type { Engine } from './engine.ts'

/**
 * Actions that people are asked to approve, with the proofs of their answers. They outlive users and devices, so they refer to neither.
 */
export const approval = ({ sequence }: Pick<Engine, 'sequence'>): readonly string[] => [
  `create table approval (
    sequence ${sequence},
    id text not null unique,
    organization_id text not null references organization (id),
    domain_id text not null references domain (id),
    api_key_id text not null,
    requester text not null,
    requested_by text,
    content text not null,
    digest text not null,
    needed integer not null,
    challenge text,
    state text not null,
    reason text,
    created_at bigint not null,
    expires_at bigint not null,
    settled_at bigint,
    redeemed_at bigint,
    kept_until bigint not null
  )`,
  "create index approval_pending on approval (expires_at) where state = 'pending'",
  'create index approval_open on approval (domain_id, state, expires_at)',
  'create index approval_settled_in on approval (domain_id, settled_at)',
  'create index approval_page on approval (domain_id, sequence)',
  'create index approval_settled on approval (settled_at, domain_id)',
  'create index approval_kept on approval (kept_until)',
  `create table approver (
    sequence ${sequence},
    id text not null unique,
    approval_id text not null references approval (id),
    domain_id text not null,
    user_id text not null,
    device_id text,
    nonce text not null,
    "number" text,
    waiting integer not null,
    removed integer default 0 not null,
    decision text,
    answered_number text,
    answered_at bigint,
    proof text,
    passkey_nonce text,
    passkey_until bigint,
    kept_until bigint not null,
    constraint approver_once unique (approval_id, user_id)
  )`,
  'create index approver_waiting on approver (domain_id, user_id) where waiting = 1',
  'create index approver_of_user on approver (user_id, answered_at)',
  'create index approver_kept on approver (kept_until)',
  `create table requester_block (
    sequence ${sequence},
    id text not null unique,
    domain_id text not null references domain (id),
    user_id text not null references "user" (id),
    api_key_id text not null,
    requester text not null,
    shown text not null,
    blocked_until bigint not null,
    constraint requester_block_once unique (user_id, domain_id, api_key_id, requester)
  )`,
  'create index requester_block_ended on requester_block (blocked_until)',
  // The keys that sign receipts, one for each key of the ring. Public keys stay: proofs that people keep need them.
  `create table receipt_key (
    id text not null primary key,
    ring_key text not null,
    public_key text not null,
    private_key text,
    created_at bigint not null
  )`,
]
