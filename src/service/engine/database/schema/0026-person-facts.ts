import type { Engine } from './engine.ts'

/**
 * What the filters of the console ask about each person and each member, so that the few people whom a filter finds are read by an index
 * and not looked for among everyone. Triggers keep it up to date, so that no change of factors can forget it.
 */
export const personFacts = ({ personFacts: { former, of } }: Pick<Engine, 'personFacts'>): readonly string[] => [
  'alter table person_order add column factor_level integer default 0 not null',
  'alter table person_order add column codes_until bigint default 0 not null',
  'alter table person_order add column active_at bigint default 0 not null',
  'alter table membership add column factor_level integer default 0 not null',
  `update person_order set factor_level = ${levelOfPerson('person_order.position', places)},
    codes_until = ${codesUntil('person_order.position')}, active_at = ${activeAt('person_order.position')}`,
  `update membership set factor_level = ${levelOfMember('membership.user_id', 'membership.domain_id', places)}`,
  // Lists people without a factor in the order of the last sign-ins, in which they stand together.
  `create index person_order_without_factor on person_order (organization_id, signed_in_at, position, factor_level)
    where factor_level < 3`,
  'create index person_order_by_level on person_order (organization_id, factor_level, position)',
  'create index person_order_with_code on person_order (organization_id, codes_until, position) where codes_until > 0',
  'create index person_order_by_activity on person_order (organization_id, active_at, position)',
  'create index membership_by_level on membership (domain_id, factor_level, user_sequence, added_by, removed_by)',
  'drop view member',
  `create view member as select sequence, domain_id, user_id, user_sequence, factor_level from membership
    where (added_by is null or added_by not in (select id from synchronization where applied_at is null))
    and (removed_by is null or removed_by not in (select id from synchronization where applied_at is not null))`,
  ...former,
  ...of(places),
]

/** The columns of the user that codes are sent to. */
const places = ['email']

/** SQL for whether a user has no place that codes are sent to. @param user SQL for the row of the user. */
export const hasNone = (user: string, sentTo: readonly string[]): string =>
  sentTo.map((place) => `${user}.${place} = ''`).join(' and ')

/** Whether a user has a factor that an e-mail account does not give and that counts in every domain. */
const hasFactorEverywhere = `exists (select 1 from passkey p where p.user_id = u.id)
    or exists (select 1 from hardware_token h where h.user_id = u.id)`

/**
 * SQL for the best that a person has in any domain: 3 for a factor that an e-mail account does not give, 2 for an address and a membership,
 * 1 for an address alone, else 0. A membership that a synchronization has staged or ended is one, too: most that a synchronization has
 * added keep its mark, which means nothing once it is over.
 * @param sequence SQL for the sequence of the user.
 * @param sentTo The columns of the user that codes are sent to.
 */
export const levelOfPerson = (sequence: string, sentTo: readonly string[]): string => `(select case
    when exists (select 1 from token t where t.user_id = u.id and t.state = 'active') or ${hasFactorEverywhere} then 3
    when ${hasNone('u', sentTo)} then 0
    when exists (select 1 from membership m where m.user_id = u.id) then 2
    else 1 end from "user" u where u.sequence = ${sequence})`

/** The same in one domain: 3, 2 for an address, else 0. */
export const levelOfMember = (userId: string, domainId: string, sentTo: readonly string[]): string => `(select case
    when exists (select 1 from token t where t.domain_id = ${domainId} and t.user_id = u.id and t.state = 'active')
      or ${hasFactorEverywhere} then 3
    when ${hasNone('u', sentTo)} then 0 else 2 end from "user" u where u.id = ${userId})`

/** SQL for the time until which a person has a bypass code with uses left; 0 for none. */
export const codesUntil = (sequence: string): string => `(select coalesce(max(b.expires_at), 0) from bypass_code b
    where b.user_id = (select u.id from "user" u where u.sequence = ${sequence}) and b.uses_remaining > 0)`

/** SQL for the later one of the last sign-in and the time at which a person was added. */
export const activeAt = (
  sequence: string,
): string => `(select case when s.at > u.created_at then s.at else u.created_at end
    from "user" u left join last_sign_in s on s.user_sequence = u.sequence where u.sequence = ${sequence})`
