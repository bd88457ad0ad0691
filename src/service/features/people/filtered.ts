import type { SelectQueryBuilder } from 'kysely'

import type { PeopleFilter } from '../../../admin-contract/people.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allValues } from '../../engine/database/statement.ts'
import type { Slots } from '../../engine/database/statement.ts'
import { strongLevel, whereMatches } from './filters.ts'
import type { FilterQuery } from './filters.ts'

/** The filters by which people are read from an index. Few people are locked, so these need no index of their own. */
type Filter = Exclude<PeopleFilter, 'locked'>

/** What a filter is asked with, and the domains that send no codes by e-mail among those that are looked at. */
export interface FilteredQuery extends FilterQuery {
  readonly otherDomains: readonly string[]
}

interface FilteredSlots extends FilteredQuery {
  readonly limit: number
}

type Read = (db: Queryable, slots: FilteredSlots) => Promise<number[]>

/**
 * The sequences of the people whom a filter finds, by indexes that have only those who may be among them.
 * @returns undefined for more than `limit`.
 */
export async function filteredPositions(
  db: Queryable,
  query: FilteredQuery,
  { filter, limit }: { readonly filter: Filter; readonly limit: number },
): Promise<readonly number[] | undefined> {
  const positions = new Set<number>()
  for (const read of readsOf(filter, query)) {
    // A member of several domains is read once for each.
    const some = await read(db, { ...query, limit: limit + 1 })
    for (const position of some) positions.add(position)
    if (some.length > limit || positions.size > limit) return undefined
  }
  return [...positions]
}

function readsOf(filter: Filter, { everyone, mailDomains }: FilteredQuery): readonly Read[] {
  if (filter === 'bypass_code' || filter === 'inactive') return [byTime[filter]]
  if (filter === 'only_email' && mailDomains.length === 0) return []
  if (everyone === 0) return filter === 'no_factor' ? [ofMembers.no_factor, withAddress] : [ofMembers[filter]]
  if (filter !== 'no_factor') return [ofPeople[filter]]
  return mailDomains.length === 0 ? [withoutFactor] : [unreachable, withAddress]
}

type OfPeople = SelectQueryBuilder<Database, 'personOrder' | 'user', object>

const ofPerson = (
  name: string,
  filter: Filter,
  where: (people: OfPeople, slots: Slots<FilteredSlots>) => OfPeople,
): Read =>
  allValues(`people filtered ${name}`, (db, slots: Slots<FilteredSlots>) =>
    where(
      whereMatches(
        db.selectFrom('personOrder').innerJoin('user', 'user.sequence', 'personOrder.position'),
        filter,
        slots,
      ),
      slots,
    )
      .select('personOrder.position')
      .limit(slots.limit),
  )

const byTime = {
  bypass_code: ofPerson('bypass_code', 'bypass_code', (people) => people.where('personOrder.codesUntil', '>', 0)),
  inactive: ofPerson('inactive', 'inactive', (people) => people),
}

const ofPeople = {
  enrolled: ofPerson('enrolled', 'enrolled', (people) => people.where('personOrder.factorLevel', '=', strongLevel)),
  only_email: ofPerson('only_email', 'only_email', (people) => people.where('personOrder.factorLevel', '=', 2)),
}

const withoutFactor = ofPerson('no_factor', 'no_factor', (people) =>
  people.where('personOrder.factorLevel', '<', strongLevel),
)

/** People without a factor who have no address, or belong to no domain. */
const unreachable = ofPerson('unreachable', 'no_factor', (people) => people.where('personOrder.factorLevel', '<', 2))

/** Reads the memberships of such people in some domains. */
const ofMember = (
  name: string,
  filter: Filter,
  read: (members: OfMembers, slots: Slots<FilteredSlots>) => OfMembers,
): Read =>
  allValues(`people filtered by member ${name}`, (db, slots: Slots<FilteredSlots>) =>
    whereMatches(
      // SQLite takes the tables in this order.
      read(db.selectFrom('member'), slots)
        .crossJoin('personOrder')
        .crossJoin('user')
        .whereRef('personOrder.position', '=', 'member.userSequence')
        .whereRef('user.sequence', '=', 'member.userSequence'),
      filter,
      slots,
    )
      .select('personOrder.position')
      .limit(slots.limit),
  )

type OfMembers = SelectQueryBuilder<Database, 'member', object>

const ofMembers = {
  enrolled: ofMember('enrolled', 'enrolled', (members, { domainIds }) =>
    members.where('member.domainId', 'in', domainIds).where('member.factorLevel', '=', strongLevel),
  ),
  only_email: ofMember('only_email', 'only_email', (members, { mailDomains }) =>
    members.where('member.domainId', 'in', mailDomains).where('member.factorLevel', '=', 2),
  ),
  no_factor: ofMember('no_factor', 'no_factor', (members, { domainIds }) =>
    members.where('member.domainId', 'in', domainIds).where('member.factorLevel', '=', 0),
  ),
}

/** People without a factor, in domains that send no codes to their addresses. The index alone says who is in another one as well. */
const withAddress = ofMember('with an address', 'no_factor', (members, { otherDomains, mailDomains }) =>
  members
    .where('member.domainId', 'in', otherDomains)
    .where('member.factorLevel', '=', 2)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('member as other')
            .select('other.userId')
            .where('other.domainId', 'in', mailDomains)
            .whereRef('other.userSequence', '=', 'member.userSequence'),
        ),
      ),
    ),
)
