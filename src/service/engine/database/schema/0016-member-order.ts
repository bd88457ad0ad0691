import type { Engine } from './engine.ts'

/**
 * The order in which lists show members: a membership has the sequence of its user. An index contains all that decides whether and
 * where a list shows a member or a user, so that the rows before a page are skipped there, and only those of the page are read.
 */
export const memberOrder = ({ memberOrder: triggers }: Engine): readonly string[] => [...statements, ...triggers]

const statements: readonly string[] = [
  // A trigger fills it, because nodes of the earlier version do not know it, and add members until they are restarted.
  'alter table membership add column user_sequence bigint',
  'update membership set user_sequence = (select u.sequence from "user" u where u.id = membership.user_id)',
  'create index membership_page on membership (domain_id, user_sequence, added_by, removed_by)',
  'drop view member',
  `create view member as select sequence, domain_id, user_id, user_sequence from membership
    where (added_by is null or added_by not in (select id from synchronization where applied_at is null))
    and (removed_by is null or removed_by not in (select id from synchronization where applied_at is not null))`,
  'drop index user_page',
  'create index user_page on "user" (organization_id, sequence, added_by)',
  // Reads everyone a page at a time, in the order in which they were added.
  'create index person_order_page on person_order (organization_id, position)',
]
