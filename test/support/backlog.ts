import { sql } from 'kysely'

import type { Queryable } from '../../src/service/engine/database/schema/schema.ts'

interface Backlog {
  readonly organizationId: string
  /** One domain in which the users have an expired code of a first device, one in which they have one of a replacement. */
  readonly domainIds: readonly [string, string]
  readonly count: number
  /** All rows are expired at this time, Unix time, seconds. */
  readonly now: number
}

/** Inserts rows of each kind that a sweep removes or settles, as after an outage, and their users. */
export async function insertBacklog(db: Queryable, { organizationId, domainIds, count, now }: Backlog): Promise<void> {
  const [organization, firstDomain, secondDomain] = [organizationId, ...domainIds].map((id) => sql.lit(id))
  const numbers = sql`with recursive number (n) as (select 1 union all select n + 1 from number where n < ${sql.lit(count)})`
  const id = (digit: string) => sql`${sql.lit(digit.repeat(32))} || cast(10000000 + n as text)`
  const user = id('b')
  const seconds = sql.lit(now)
  /** Between ten and twenty days ago. */
  const ago = sql`(${seconds} - 864000 - n % 864000)`
  /** As everything else, and older than what is kept longest. */
  const longAgo = sql`(${ago} - 34560000)`
  const inserts = [
    sql`"user" (id, organization_id, username, name_key, name, email, ever_enrolled, created_at)
      ${numbers} select ${user}, ${organization}, 'leftover ' || n, 'leftover ' || n, 'Person', 'person@example.com', 1, 1`,
    sql`session (id, domain_id, user_id, device_id, state, nonce, attributes, created_at, expires_at)
      ${numbers} select ${id('1')}, ${firstDomain}, ${user}, ${user}, 'pending', '', '[]', ${ago}, ${ago} + 90`,
    sql`session (id, domain_id, user_id, device_id, state, nonce, attributes, created_at, expires_at, settled_at)
      ${numbers} select ${id('2')}, ${firstDomain}, ${user}, ${user}, 'approved', '', '[]', ${ago}, ${ago} + 90, ${ago} + 30`,
    sql`token (id, domain_id, user_id, state, code, code_lookup, code_expires_at, created_at)
      ${numbers} select ${id('3')}, ${firstDomain}, ${user}, 'pending', '', ${user}, ${ago} + 90, ${ago}`,
    sql`token (id, domain_id, user_id, state, replacement, replacement_lookup, replacement_expires_at, created_at)
      ${numbers} select ${id('4')}, ${secondDomain}, ${user}, 'active', '', ${user}, ${ago} + 90, ${ago}`,
    sql`bypass_code (id, user_id, code, code_lookup, uses_allowed, uses_remaining, expires_at, created_at)
      ${numbers} select ${id('5')}, ${user}, '', 'expired', 1, 1, ${ago} + 90, ${ago}`,
    sql`bypass_code (id, user_id, code, code_lookup, uses_allowed, uses_remaining, used_at, expires_at, created_at)
      ${numbers} select ${id('6')}, ${user}, '', 'used', 1, 0, ${ago}, ${seconds} + 864000, ${ago}`,
    sql`email_code (domain_id, user_id, code_lookup, wrong_tries, expires_at)
      ${numbers} select ${firstDomain}, ${user}, '', 0, ${ago}`,
    sql`passkey_ceremony (challenge_hash, domain_id, user_id, kind, rp_id, origins, challenge, expires_at)
      ${numbers} select ${user}, ${firstDomain}, ${user}, 'register', 'app.example', '[]', '', ${ago}`,
    sql`administrator (id, organization_id, name, email, role, user_handle, created_at)
      ${numbers} select ${user}, ${organization}, 'Person', 'person@example.com', 'owner', ${user}, 1`,
    sql`consent (id, organization_id, operation, user_id, parameters, domain_ids, digest, requested_by, because, state, created_at,
      expires_at)
      ${numbers} select ${user}, ${organization}, 'resetPerson', ${user}, '{}', '[]', '', ${user}, 'test', 'pending', ${ago}, ${ago}`,
    sql`administrator_session (hash, administrator_id, created_at, used_at, passed_at)
      ${numbers} select ${user}, ${user}, ${ago}, ${ago}, ${ago}`,
    sql`administrator_ceremony (challenge_hash, kind, subject, user_handle, expires_at)
      ${numbers} select ${user}, 'used', '', '', ${ago}`,
    sql`administrator_invitation (id, token_hash, organization_id, name, email, role, domain_ids, created_at, expires_at)
      ${numbers} select ${user}, ${user}, ${organization}, 'Person', 'person@example.com', 'owner', '[]', ${ago}, ${ago}`,
    sql`challenge_try (challenge, failures, expires_at) ${numbers} select ${user}, 1, ${ago}`,
    sql`known_browser (id_hash, domain_id, user_id, factors, passed_at, expires_at)
      ${numbers} select ${user}, ${firstDomain}, ${user}, '', ${longAgo}, ${ago}`,
    sql`device_history (session_id, device_id, domain_id, user_id, attributes, state, created_at, settled_at)
      ${numbers} select ${id('2')}, ${user}, ${firstDomain}, ${user}, '[]', 'approved', ${longAgo}, ${longAgo}`,
    sql`device_notice (id, device_id, domain_id, kind, created_at)
      ${numbers} select ${id('7')}, ${user}, ${firstDomain}, 'device_added', ${longAgo}`,
    sql`caller_verification (id, organization_id, domain_id, user_id, device_id, requested_by, state, nonce, number, created_at, expires_at)
      ${numbers} select ${user}, ${organization}, ${firstDomain}, ${user}, ${user}, ${user}, 'pending', '', '10', ${longAgo}, ${longAgo}`,
    sql`device_call (device_id, jti, expires_at) ${numbers} select ${user}, 'call', ${ago}`,
    sql`device_move (device_id, expires_at) ${numbers} select ${user}, ${ago}`,
    sql`attempt (scope, at) ${numbers} select 'backlog ' || n, ${ago}`,
    sql`tally (scope, at, count) ${numbers} select 'backlog ' || n, ${ago}, 1`,
    sql`sign_in_day (domain_id, day, outcome, factor, count)
      ${numbers} select ${firstDomain}, ${longAgo} / 86400 - n, 'approved', 'push', 1`,
    sql`epoch_change (domain_id, user_id) ${numbers} select ${firstDomain}, ${user}`,
    sql`device (id, token_id, domain_id, user_id, name, key_x, key_y, created_at, revoked_at)
      ${numbers} select ${user}, ${id('4')}, ${secondDomain}, ${user}, 'Phone', '', '', ${longAgo}, ${longAgo}`,
  ]
  for (const insert of inserts) await sql`insert into ${insert} from number`.execute(db)
  const writer = 'c'.repeat(40)
  await sql`insert into audit_writer (id, sequence, hash, start_sequence, start_hash, started_at)
    values (${writer}, ${count}, '', 0, '', 1)`.execute(db)
  await sql`insert into audit (writer, sequence, at, event, actor_kind, actor_id, facts, hash)
    ${numbers} select ${sql.lit(writer)}, n, ${longAgo}, 'session.created', 'service', '', '{}', '' from number`.execute(
    db,
  )
}
