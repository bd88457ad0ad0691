import { sql } from 'kysely'

import type { Queryable } from '../../src/service/engine/database/schema/schema.ts'

/** A domain without its ids. */
export const domainRow = {
  name: 'D',
  type: 'WEB',
  keyType: 'NONE',
  maxAllowedRetries: 5,
  requestTimeout: 90,
  activationCodeExpiration: 7,
  requestPollingEnabled: 1,
  bypassEnabled: 0,
  emailOtpEnabled: 0,
  numberMatching: 'offered',
  createdAt: 1,
} as const

/** Inserts an organization with a domain. */
export async function insertDomain(db: Queryable): Promise<{ organizationId: string; domainId: string }> {
  const [organizationId, domainId] = ['0'.repeat(40), '1'.repeat(40)]
  await db.insertInto('organization').values({ id: organizationId, name: 'O', createdAt: 1 }).execute()
  await db
    .insertInto('domain')
    .values({ ...domainRow, id: domainId, organizationId })
    .execute()
  return { organizationId, domainId }
}

/** Inserts members of one domain, far faster than any interface of the service. */
export async function insertManyUsers(
  db: Queryable,
  { organizationId, domainId, count }: { organizationId: string; domainId: string; count: number },
): Promise<void> {
  const numbers = sql`with recursive number (n) as (select 1 union all select n + 1 from number where n < ${sql.lit(count)})`
  // 40 hexadecimal digits, unique for each user.
  const id = sql`${sql.lit('f'.repeat(32))} || cast(10000000 + n as text)`
  await sql`insert into "user" (id, organization_id, username, name_key, name, email, ever_enrolled, created_at)
    ${numbers} select ${id}, ${sql.lit(organizationId)}, 'person ' || n, 'person ' || n, 'Person', 'person@example.com', 1, 1
    from number`.execute(db)
  await sql`insert into membership (domain_id, user_id)
    ${numbers} select ${sql.lit(domainId)}, ${id} from number`.execute(db)
}

/** Gives each of these users one row of every kind that a user can have. */
export async function furnishManyUsers(
  db: Queryable,
  { organizationId, domainId }: { organizationId: string; domainId: string },
): Promise<void> {
  const [organization, domain] = [sql.lit(organizationId), sql.lit(domainId)]
  const users = sql`from "user" where username like 'person %'`
  const inserts = [
    sql`last_sign_in (user_sequence, at) select sequence, 4000000000 + sequence`,
    sql`token (id, domain_id, user_id, state, created_at) select id, ${domain}, id, 'active', 1`,
    sql`device (id, token_id, domain_id, user_id, name, key_x, key_y, created_at)
      select id, id, ${domain}, id, 'Phone', '', '', 1`,
    sql`session (id, domain_id, user_id, device_id, state, nonce, attributes, created_at, expires_at, settled_at)
      select id, ${domain}, id, id, 'approved', '', '[]', sequence, sequence, sequence`,
    sql`code_generator (id, seed, digits, period, last_step, drift, sync_state)
      select 'e' || substr(id, 2), '', 6, 30, -1, 0, 'Never Used'`,
    sql`hardware_token (id, organization_id, alias, serial_number, user_id, created_at)
      select 'e' || substr(id, 2), ${organization}, 'Token', id, case when sequence % 2 = 0 then id end, 1`,
    sql`bypass_code (id, user_id, code, code_lookup, uses_allowed, uses_remaining, expires_at, created_at)
      select id, id, '', id, 1, 1, 4000000000 + sequence, 1`,
    sql`passkey (id, organization_id, user_id, rp_id, credential_id, public_key, counter, transports, name, syncable, synced, created_at)
      select id, ${organization}, id, 'app.example', id, '', 0, '[]', 'Phone', 1, 1, 1`,
    sql`passkey_ceremony (challenge_hash, domain_id, user_id, kind, rp_id, origins, challenge, expires_at)
      select id, ${domain}, id, 'register', 'app.example', '[]', '', sequence`,
    sql`email_code (domain_id, user_id, code_lookup, wrong_tries, expires_at) select ${domain}, id, id, 0, sequence`,
    sql`device_call (device_id, jti, expires_at) select id, id, sequence`,
    sql`device_history (session_id, device_id, domain_id, user_id, attributes, state, created_at, settled_at)
      select id, id, ${domain}, id, '[]', 'approved', sequence, sequence`,
    sql`device_notice (id, device_id, domain_id, kind, created_at) select id, id, ${domain}, 'device_added', sequence`,
    sql`attempt (scope, at) select id, sequence`,
    sql`tally (scope, at, count) select id, sequence, 1`,
    sql`challenge_try (challenge, failures, expires_at) select id, 1, sequence`,
    sql`approval (id, organization_id, domain_id, api_key_id, requester, content, digest, needed, state, created_at, expires_at, settled_at, kept_until)
      select id, ${organization}, ${domain}, 'key', 'self', '', '', 1, case when sequence % 2 = 0 then 'pending' else 'approved' end, sequence, sequence, sequence, sequence`,
    sql`approver (id, approval_id, domain_id, user_id, device_id, nonce, waiting, decision, answered_at, kept_until)
      select id, id, ${domain}, id, id, '', 1 - sequence % 2, 'approve', sequence, sequence`,
    sql`requester_block (id, domain_id, user_id, api_key_id, requester, shown, blocked_until)
      select id, ${domain}, id, 'key', 'self', '{}', sequence`,
    sql`oidc_artifact (id, model, client_id, grant_id, user_id, uid, created_at, expires_at, payload)
      select id, 'Session', null, id, id, id, sequence, sequence, ''`,
    sql`oidc_ping (artifact_id, subject_id, due_at, expires_at, tries) select id, id, sequence, sequence, sequence % 2`,
    sql`known_browser (id_hash, domain_id, user_id, factors, passed_at, expires_at)
      select id, ${domain}, id, '', sequence, 4000000000 + sequence`,
    sql`audit_writer (id, sequence, hash, start_sequence, start_hash, started_at) select id, 1, '', 0, '', sequence`,
    sql`audit (writer, sequence, at, event, actor_kind, actor_id, facts, hash)
      select id, 1, sequence, 'session.created', 'service', '', '{}', ''`,
    sql`timeline_entry (user_sequence, position, sign_in) select sequence, sequence, 1`,
  ]
  for (const insert of inserts) await sql`insert into ${insert} ${users}`.execute(db)
}
