import { sql } from 'kysely'
import type { SelectQueryBuilder } from 'kysely'

import type { PeopleFilter } from '../../../admin-contract/people.ts'
import { sentFactors } from '../../../contract/factor-descriptions.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allValues } from '../../engine/database/statement.ts'
import type { Slots } from '../../engine/database/statement.ts'
import { exists } from '../users/statements.ts'
import { synchronizationOf } from '../users/synchronization-statements.ts'
import { sends } from '../users/reach.ts'
import type { Sending } from '../users/reach.ts'
import { inactiveSince, isVisible, levels, whereMatches } from './filters.ts'
import type { FilterQuery, Senders } from './filters.ts'

/** What a filter is asked with, and the domains among those that are looked at by what they send. */
export interface FilteredQuery extends FilterQuery {
  /** They send the codes of some factor. */
  readonly someSenders: readonly string[]
  /** They send the codes of every factor that has any. */
  readonly fullSenders: readonly string[]
  /** Those of which that is not true. */
  readonly otherDomains: readonly string[]
}

/** Sorts domains by what they send. */
export function sendersAmong(domains: readonly (Sending & { readonly id: string })[]) {
  const idsWhere = (matches: (domain: Sending) => boolean) => domains.filter(matches).map(({ id }) => id)
  const isFull = (domain: Sending) => sentFactors.every((factor) => sends(factor, domain))
  const ofFactors = sentFactors.map((factor) => [`${factor}Senders`, idsWhere((domain) => sends(factor, domain))])
  return {
    ...(Object.fromEntries(ofFactors) as Senders),
    someSenders: idsWhere((domain) => sentFactors.some((factor) => sends(factor, domain))),
    fullSenders: idsWhere(isFull),
    otherDomains: idsWhere((domain) => !isFull(domain)),
  }
}

type Read = (db: Queryable, query: FilteredQuery) => Promise<number[]>

/** If a filter finds more people, each person is asked in the order of the list, which then soon fills a page. */
const maxFiltered = 2000

/** A number in the statement: for one that it does not know, PostgreSQL prepares to read a tenth of everyone. */
const limit = sql.lit(maxFiltered + 1)

/** The sequences of people whom a filter finds: all of them, unless they are too many. */
interface FilteredPositions {
  readonly positions: readonly number[]
  readonly isComplete: boolean
}

/** Reads indexes that have only those people who may be among them. */
export async function filteredPositions(
  db: Queryable,
  query: FilteredQuery,
  filter: PeopleFilter,
): Promise<FilteredPositions> {
  const positions = new Set<number>()
  for (const read of await readsOf(db, query, filter)) {
    // A member of several domains is read once for each, so these rows may be of far fewer people.
    const some = await read(db, query)
    for (const position of some) positions.add(position)
    if (some.length > maxFiltered || positions.size > maxFiltered)
      return { positions: [...positions], isComplete: false }
  }
  return { positions: [...positions], isComplete: true }
}

async function readsOf(
  db: Queryable,
  { organizationId, everyone, someSenders, fullSenders }: FilteredQuery,
  filter: PeopleFilter,
): Promise<readonly Read[]> {
  if (filter === 'locked') return locked
  if (filter === 'bypass_code' || filter === 'inactive') return [ofPeople[filter]]
  if (filter === 'only_email' && someSenders.length === 0) return []
  if (everyone === 0) return filter === 'no_factor' ? [ofMembers.no_factor, withAddress] : [ofMembers[filter]]
  if (filter !== 'no_factor') return [ofPeople[filter]]
  if (fullSenders.length === 0) return [withoutFactor]
  // Until it ends, the memberships that a synchronization adds or removes may count in no domain, and no index says so.
  const isSynchronizing = (await synchronizationOf(db, organizationId)) !== undefined
  return isSynchronizing ? [withoutFactor] : [unreachable, withAddress]
}

type OfPeople = SelectQueryBuilder<Database, 'personOrder', object>

/** Reads from the order of people. Each is asked for one row: PostgreSQL would otherwise read everyone to join the tables. */
const ofPerson = (
  name: string,
  filter: PeopleFilter,
  where: (people: OfPeople, slots: Slots<FilteredQuery>) => OfPeople,
): Read =>
  allValues(`people filtered ${name}`, (db, slots: Slots<FilteredQuery>) =>
    where(db.selectFrom('personOrder').where('personOrder.organizationId', '=', slots.organizationId), slots)
      .where((is) => {
        const person = is.selectFrom('user').whereRef('user.sequence', '=', 'personOrder.position')
        return is(whereMatches(person, filter, slots).select('user.sequence').limit(1), 'is not', null)
      })
      .select('personOrder.position')
      .limit(limit),
  )

const ofPeople = {
  enrolled: ofPerson('enrolled', 'enrolled', (people) => people.where('personOrder.factorLevel', '=', levels.strong)),
  only_email: ofPerson('only_email', 'only_email', (people) =>
    people.where('personOrder.factorLevel', '=', levels.reachable),
  ),
  bypass_code: ofPerson('bypass_code', 'bypass_code', (people, { now }) =>
    // The index has only people with codes.
    people.where('personOrder.codesUntil', '>', 0).where('personOrder.codesUntil', '>', now),
  ),
  inactive: ofPerson('inactive', 'inactive', (people, slots) =>
    people.where('personOrder.activeAt', '<=', inactiveSince(slots)),
  ),
}

/** Each lock has an index of those who are locked. */
const locked = (['codesLockedUntil', 'knownCodesLockedUntil'] as const).map((lock) =>
  allValues(`people filtered locked by ${lock}`, (db, slots: Slots<FilteredQuery>) =>
    db
      .selectFrom('user')
      .where('user.organizationId', '=', slots.organizationId)
      .where(`user.${lock}`, '>', slots.now)
      .where(exists)
      .where((is) => isVisible(is, slots))
      .select('user.sequence')
      .limit(limit),
  ),
)

const withoutFactor = ofPerson('no_factor', 'no_factor', (people) =>
  people.where('personOrder.factorLevel', '<', levels.strong),
)

/** People without a factor who have no address, or belong to no domain. */
const unreachable = ofPerson('unreachable', 'no_factor', (people) =>
  people.where('personOrder.factorLevel', '<', levels.reachable),
)

/** Reads the memberships of such people in some domains, in the same way. */
const ofMember = (
  name: string,
  filter: PeopleFilter,
  where: (members: OfMembers, slots: Slots<FilteredQuery>) => OfMembers,
): Read =>
  allValues(`people filtered by member ${name}`, (db, slots: Slots<FilteredQuery>) =>
    where(db.selectFrom('member'), slots)
      .where((is) => {
        const person = is
          .selectFrom('personOrder')
          .innerJoin('user', 'user.sequence', 'personOrder.position')
          .whereRef('personOrder.position', '=', 'member.userSequence')
        return is(whereMatches(person, filter, slots).select('user.sequence').limit(1), 'is not', null)
      })
      .select('member.userSequence')
      .limit(limit),
  )

type OfMembers = SelectQueryBuilder<Database, 'member', object>

const ofMembers = {
  enrolled: ofMember('enrolled', 'enrolled', (members, { domainIds }) =>
    members.where('member.domainId', 'in', domainIds).where('member.factorLevel', '=', levels.strong),
  ),
  only_email: ofMember('only_email', 'only_email', (members, { someSenders }) =>
    members.where('member.domainId', 'in', someSenders).where('member.factorLevel', '=', levels.reachable),
  ),
  no_factor: ofMember('no_factor', 'no_factor', (members, { domainIds }) =>
    members.where('member.domainId', 'in', domainIds).where('member.factorLevel', '=', levels.none),
  ),
}

/** People without a factor, in domains that may send them no codes. The index alone says who is in another one as well. */
const withAddress = ofMember('with an address', 'no_factor', (members, { otherDomains, fullSenders }) =>
  members
    .where('member.domainId', 'in', otherDomains)
    .where('member.factorLevel', '=', levels.reachable)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('member as other')
            .select('other.userId')
            .where('other.domainId', 'in', fullSenders)
            .whereRef('other.userSequence', '=', 'member.userSequence'),
        ),
      ),
    ),
)
