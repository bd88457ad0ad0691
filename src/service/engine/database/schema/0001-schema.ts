import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

import type { Queryable } from './schema.ts'

/** What the databases say differently in DDL, and how to ask them for a table. */
export interface Engine {
  /** The type of a primary key that only grows. */
  readonly sequence: string
  /** The type of text that is compared byte for byte. */
  readonly exactText: string
  /** What creates the search for people, and keeps it up to date. */
  readonly search: readonly string[]
  /** The same with a row for each device and hardware token. */
  readonly searchRows: readonly string[]
  /** The same without case and accents. */
  readonly foldedSearch: readonly string[]
  /** SQL for a column's text without case and accents, once `foldedSearch` is there. */
  readonly fold: (column: string) => string
  /** The triggers that keep the order of people. */
  readonly personOrder: readonly string[]
  /** The triggers that give memberships the order of their users. */
  readonly memberOrder: readonly string[]
  readonly hasTable: (db: Queryable, table: string) => Promise<boolean>
}

/**
 * All tables, indexes and views. Times are Unix time in seconds and booleans are 0 or 1. No foreign key cascades: each unit
 * of work says itself what it removes.
 */
export const schema = (engine: Engine): Migration => ({
  async up(db) {
    for (const statement of statements(engine)) await sql.raw(statement).execute(db)
  },
})

const statements = ({ sequence, exactText, search }: Engine): readonly string[] => [
  `create table service (
    "row" integer primary key check ("row" = 1),
    id text not null,
    scheme text,
    media_type text,
    base_path text
  )`,
  // app_name is the name that embedded() gave: it follows the name of the app, and that of an administrator does not.
  `create table organization (
    id text primary key,
    name text not null unique,
    app_name text,
    created_at bigint not null
  )`,
  // Synchronizations of a domain are applied in the order of their tickets.
  `create table domain (
    id text primary key,
    organization_id text not null references organization (id),
    name text not null,
    app_name text,
    type text not null,
    key_type text not null,
    max_allowed_retries integer not null,
    request_timeout integer not null,
    activation_code_expiration integer not null,
    request_polling_enabled integer not null,
    bypass_enabled integer not null,
    email_otp_enabled integer not null,
    number_matching text not null,
    phishing_resistant text default 'off' not null,
    synchronization_ticket bigint default 0 not null,
    synchronization_applied bigint default 0 not null,
    created_at bigint not null,
    constraint domain_name unique (organization_id, name)
  )`,
  `create table domain_image (
    domain_id text primary key references domain (id),
    png text not null,
    etag text not null
  )`,
  `create table api_key (
    id text primary key,
    organization_id text not null references organization (id),
    hash text not null unique,
    role text default 'admin' not null,
    domain_id text references domain (id),
    created_at bigint not null,
    used_at bigint
  )`,

  // name_key is what usernames that look alike have in common. It is not unique: administrators may add such users.
  `create table "user" (
    sequence ${sequence},
    id text not null unique,
    organization_id text not null references organization (id),
    username ${exactText} not null,
    name_key ${exactText} default '' not null,
    name text not null,
    email text not null,
    email_changed_at bigint,
    language text,
    ever_enrolled integer not null,
    strong_enrolled integer default 0 not null,
    epoch text,
    code_failures integer default 0 not null,
    codes_locked_at bigint,
    codes_locked_until bigint,
    known_code_failures integer default 0 not null,
    known_codes_locked_at bigint,
    known_codes_locked_until bigint,
    added_by text,
    created_at bigint not null,
    constraint user_username unique (organization_id, username)
  )`,
  'create index user_page on "user" (organization_id, sequence)',
  'create index user_name_key on "user" (organization_id, name_key)',
  'create index user_added_by on "user" (added_by) where added_by is not null',
  // These find rows dated in the future by a clock that was ahead, which are then brought to the present.
  'create index user_codes_locked_at on "user" (codes_locked_at) where codes_locked_at is not null',
  'create index user_known_codes_locked_at on "user" (known_codes_locked_at) where known_codes_locked_at is not null',
  'create index user_email_changed_at on "user" (email_changed_at) where email_changed_at is not null',
  // The overview counts them. Few people are locked, so these cost next to nothing.
  `create index user_codes_locked on "user" (organization_id, codes_locked_until)
    where codes_locked_until is not null`,
  `create index user_known_codes_locked on "user" (organization_id, known_codes_locked_until)
    where known_codes_locked_until is not null`,

  // added_by and removed_by name a synchronization. Once that is over and its row is gone, they mean nothing.
  `create table membership (
    sequence ${sequence},
    domain_id text not null references domain (id),
    user_id text not null references "user" (id),
    added_by text,
    removed_by text,
    constraint membership_once unique (domain_id, user_id)
  )`,
  'create index membership_user on membership (user_id)',
  'create index membership_added_by on membership (added_by) where added_by is not null',
  'create index membership_removed_by on membership (removed_by) where removed_by is not null',

  // No foreign keys: deleted users are among them.
  `create table epoch_change (
    sequence ${sequence},
    domain_id text not null,
    user_id text not null
  )`,

  `create table token (
    id text primary key,
    domain_id text not null references domain (id),
    user_id text not null references "user" (id),
    state text not null,
    code text,
    code_lookup text unique,
    code_expires_at bigint,
    first_only integer default 0 not null,
    self_enrollment integer default 0 not null,
    granted_factor text,
    granted_factor_id text,
    replacement text,
    replacement_lookup text,
    replacement_expires_at bigint,
    replacement_epoch text,
    created_at bigint not null,
    mailed_at bigint,
    activated_at bigint,
    constraint token_once unique (domain_id, user_id)
  )`,
  'create index token_user on token (user_id)',
  'create unique index token_replacement on token (replacement_lookup)',
  'create index token_issued on token (created_at)',
  'create index token_expired on token (code_expires_at) where code_expires_at is not null',
  `create index token_replacement_expired on token (replacement_expires_at)
    where replacement_expires_at is not null`,

  // No foreign keys: a device outlives its token, domain and user, so that it can be told that it was revoked.
  `create table device (
    id text primary key,
    token_id text not null,
    domain_id text not null,
    user_id text not null,
    name text not null,
    key_x text not null,
    key_y text not null,
    pin text,
    pin_tries integer default 0 not null,
    pin_attempt text,
    pin_wrong text,
    push text,
    moved integer default 0 not null,
    created_at bigint not null,
    revoked_at bigint
  )`,
  'create index device_token on device (token_id)',
  'create index device_user on device (user_id)',
  // Without the condition PostgreSQL would use it to find the device of a user among all devices in use.
  'create index device_revoked on device (revoked_at) where revoked_at is not null',

  `create table device_history (
    sequence ${sequence},
    session_id text not null unique,
    device_id text not null,
    domain_id text not null references domain (id),
    user_id text not null,
    attributes text not null,
    ip_address text,
    purpose text default 'sign_in' not null,
    state text not null,
    reason text,
    created_at bigint not null,
    settled_at bigint not null
  )`,
  'create index device_history_page on device_history (device_id, sequence)',
  'create index device_history_settled on device_history (settled_at)',

  `create table device_notice (
    sequence ${sequence},
    id text not null unique,
    device_id text not null,
    domain_id text not null references domain (id),
    kind text not null,
    created_at bigint not null
  )`,
  'create index device_notice_pending on device_notice (device_id, sequence)',
  'create index device_notice_created on device_notice (created_at)',

  `create table device_call (
    device_id text not null,
    jti text not null,
    expires_at bigint not null,
    constraint device_call_once primary key (device_id, jti)
  )`,
  'create index device_call_expired on device_call (expires_at)',

  // A move of an account to another device. Its row ends by itself after minutes.
  `create table device_move (
    device_id text primary key,
    code_lookup text unique,
    claim_id text unique,
    claim_name text,
    claim_key_x text,
    claim_key_y text,
    requested integer default 0 not null,
    expires_at bigint not null
  )`,
  'create index device_move_expired on device_move (expires_at)',

  `create table push_key (
    "row" integer primary key check ("row" = 1),
    public_key text not null,
    private_key text not null
  )`,

  // No foreign key on the user: clients that wait for a session of a deleted user read that it was canceled.
  `create table session (
    sequence ${sequence},
    id text not null unique,
    domain_id text not null references domain (id),
    user_id text not null,
    device_id text,
    purpose text default 'sign_in' not null,
    state text not null,
    reason text,
    factor text,
    factor_id text,
    passed integer default 0 not null,
    "number" text,
    nonce text not null,
    attributes text not null,
    ip_address text,
    network text,
    known_browser integer default 0 not null,
    browser text,
    challenge text,
    scan_hash text,
    phishing_resistant text,
    user_verified integer default 0 not null,
    created_at bigint not null,
    expires_at bigint not null,
    settled_at bigint,
    redeemed_at bigint,
    answered_decision text,
    answered_number text
  )`,
  // Partial, so that the session of a code, which never waits, is not written to them. Those that are written to them leave them
  // soon, so they stay small.
  "create index session_device on session (device_id, expires_at) where state = 'pending'",
  `create index "session_user" on session (user_id, expires_at) where state = 'pending'`,
  // By the user alone. `passed = 0` adds nothing, but keeps PostgreSQL from looking through it for the approval of an id.
  `create index session_redeemable on session (user_id)
    where state = 'approved' and passed = 0 and redeemed_at is null and challenge is not null`,
  "create index session_pending on session (expires_at) where state = 'pending'",
  'create index session_settled on session (settled_at)',
  "create index session_reported on session (settled_at) where reason = 'reported'",
  'create index session_network on session (domain_id, network, created_at) where network is not null',

  // Questions of the help desk to the devices of people who call. They are no sessions, so none of them signs a user in.
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

  `create table code_generator (
    id text primary key,
    seed text not null,
    digits integer not null,
    period integer not null,
    last_step bigint not null,
    drift integer not null,
    seen_step bigint,
    seen_at bigint,
    sync_state text not null
  )`,
  // Finds the hardware tokens that are out of sync. It has only these, so that other codes do not write it.
  "create index code_generator_out_of_sync on code_generator (id) where sync_state = 'Out of Sync'",
  // A user has at most one.
  `create table hardware_token (
    sequence ${sequence},
    id text not null unique references code_generator (id),
    organization_id text not null references organization (id),
    alias text not null,
    serial_number text not null,
    user_id text unique references "user" (id),
    self_enrolled integer default 0 not null,
    created_at bigint not null,
    constraint hardware_token_serial_number unique (organization_id, serial_number)
  )`,
  'create index hardware_token_page on hardware_token (organization_id, sequence)',

  `create table bypass_code (
    sequence ${sequence},
    id text not null unique,
    user_id text not null references "user" (id),
    code text not null,
    code_lookup text not null,
    uses_allowed integer not null,
    uses_remaining integer not null check (uses_remaining >= 0),
    expires_at bigint not null,
    used_at bigint,
    created_at bigint not null,
    constraint bypass_code_once unique (user_id, code_lookup)
  )`,
  'create index bypass_code_expired on bypass_code (expires_at)',
  'create index bypass_code_used on bypass_code (uses_remaining)',
  'create index bypass_code_created on bypass_code (created_at)',

  `create table email_code (
    domain_id text not null references domain (id),
    user_id text not null references "user" (id),
    code_lookup text not null,
    wrong_tries integer not null,
    expires_at bigint not null,
    constraint email_code_newest primary key (domain_id, user_id)
  )`,
  'create index email_code_user on email_code (user_id)',
  'create index email_code_expired on email_code (expires_at)',

  `create table known_browser (
    id_hash text not null,
    domain_id text not null references domain (id),
    user_id text not null references "user" (id),
    factors text not null,
    name text,
    place text,
    public_key text,
    known_since bigint,
    seen_at bigint,
    passed_at bigint not null,
    expires_at bigint not null,
    remembered_until bigint,
    kept_since bigint,
    kept_until bigint,
    constraint known_browser_user primary key (id_hash, domain_id, user_id)
  )`,
  'create index known_browser_of_user on known_browser (user_id, passed_at)',
  'create index known_browser_expired on known_browser (expires_at)',

  // Rows of ceremonies end by themselves after minutes.
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

  // With a key, so that a sweep can remove a few rows at a time.
  `create table attempt (
    sequence ${sequence},
    scope text not null,
    at bigint not null
  )`,
  'create index attempt_scope on attempt (scope, at)',
  'create index attempt_old on attempt (at)',

  `create table challenge_try (
    challenge text primary key,
    failures integer not null,
    expires_at bigint not null
  )`,
  'create index challenge_try_expired on challenge_try (expires_at)',

  `create table tally (
    scope text not null,
    at bigint not null,
    count integer not null,
    constraint tally_key primary key (scope, at)
  )`,
  'create index tally_at on tally (at)',

  // One at a time in an organization, because its users belong to all of its domains.
  `create table synchronization (
    id text primary key,
    organization_id text not null unique references organization (id),
    domain_id text not null references domain (id),
    holder text not null,
    holder_process text,
    beat_at bigint not null,
    applied_at bigint
  )`,
  `create table synchronized_user (
    synchronization_id text not null references synchronization (id),
    user_id text not null,
    name text not null,
    email text not null,
    constraint synchronized_user_once primary key (synchronization_id, user_id)
  )`,
  // The memberships that count. The one place that says so: whatever reads memberships reads this view.
  `create view member as select sequence, domain_id, user_id from membership
    where (added_by is null or added_by not in (select id from synchronization where applied_at is null))
    and (removed_by is null or removed_by not in (select id from synchronization where applied_at is not null))`,

  `create table key_check (
    key_id text primary key,
    sealed text not null
  )`,
  `create table key_node (
    id text primary key,
    name text not null,
    key_ids text not null,
    primary_id text,
    primary_since bigint,
    seen_at bigint not null
  )`,

  // A time that a wrong clock does not move: the audit trail is shortened by it.
  `create table trusted_clock (
    "row" integer primary key,
    trusted_at bigint not null,
    wall_at bigint not null,
    agreed bigint not null,
    pruned_on bigint not null,
    prune_budget bigint not null
  )`,
  `create table audit_writer (
    id text primary key,
    sequence bigint not null,
    hash text not null,
    start_sequence bigint not null,
    start_hash text not null,
    started_at bigint not null,
    ended_at bigint,
    counted_sequence bigint default 0 not null
  )`,
  // No foreign keys: entries stay when what they are about is deleted. Chains are read in the order of writer, byte by byte.
  `create table audit (
    position ${sequence},
    writer ${exactText} not null,
    sequence bigint not null,
    at bigint not null,
    event text not null,
    actor_kind text not null,
    actor_id text not null,
    organization_id text,
    address text,
    facts text not null,
    hash text not null,
    constraint audit_once unique (writer, sequence)
  )`,
  'create index audit_at on audit (at)',
  // The console reads the trail of one organization from its end. Its entries come in this order, so the index costs
  // 1 microsecond an entry. An index on the person would cost 60, as its keys come in any order.
  'create index audit_organization on audit (organization_id, position)',
  // Where the entries about each person are. By the number of the user: with ids, the table would be three times as large.
  `create table timeline_entry (
    user_sequence bigint not null references "user" (sequence),
    position bigint not null,
    sign_in integer not null,
    constraint timeline_entry_once primary key (user_sequence, position)
  )`,
  // When each user signed in last. A table of its own: the rows of users are read in each request, and few of those need this.
  // Its key has the order in which people are listed: by their ids, a list that looks at 100,000 people took three times as
  // long.
  `create table last_sign_in (
    user_sequence integer primary key references "user" (sequence),
    at bigint not null
  )`,
  // No foreign key: the counts come from the audit trail, whose entries stay when a domain is deleted.
  `create table sign_in_day (
    domain_id text not null,
    day bigint not null,
    outcome text not null,
    factor text not null,
    count bigint not null,
    primary key (domain_id, day, outcome, factor)
  )`,
  'create index sign_in_day_day on sign_in_day (day)',
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
  // What the help desk asks to be approved.
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
  `create table enrollment_count (
    domain_id text primary key,
    members bigint not null,
    enrolled bigint not null,
    only_email bigint not null,
    counted_at bigint not null
  )`,
  // What people are found by. Triggers keep it up to date.
  ...search,
]
