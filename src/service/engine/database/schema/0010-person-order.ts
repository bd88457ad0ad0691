import type { Engine } from './engine.ts'

/**
 * The orders in which lists show people: by name, or by username where there is no name, and by the last sign-in, which is 0 for
 * people who never signed in. An index has each of them, so that a page is read without sorting everyone.
 */
export const personOrder = ({ exactText, personOrder: triggers, fold }: Engine): readonly string[] => [
  `create table person_order (
    position bigint primary key,
    organization_id text not null,
    name ${exactText} not null,
    signed_in_at bigint default 0 not null
  )`,
  `insert into person_order (position, organization_id, name, signed_in_at)
    select p.sequence, p.organization_id, ${fold('p.shown')}, p.signed_in_at from (
      select u.sequence, u.organization_id, ${shownName('u')} as shown, coalesce(s.at, 0) as signed_in_at
        from "user" u left join last_sign_in s on s.user_sequence = u.sequence
    ) p`,
  'create index person_order_by_name on person_order (organization_id, name, position)',
  'create index person_order_by_sign_in on person_order (organization_id, signed_in_at, position)',
  ...triggers,
]

/** SQL for the name by which a list sorts a row of users. */
export const shownName = (user: string): string =>
  `case when trim(${user}.name) = '' then ${user}.username else trim(${user}.name) end`
