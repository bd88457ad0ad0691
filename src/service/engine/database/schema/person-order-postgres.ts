import { shownName } from './0010-person-order.ts'

const procedure = (name: string, body: string) =>
  `create function person_order_${name}() returns trigger language plpgsql as $$ begin ${body}; return null; end $$`

const trigger = (name: string, event: string) =>
  `create trigger person_order_${name} after ${event} for each row execute function person_order_${name}()`

const folded = `search_fold(${shownName('new')})`

export const postgresPersonOrder: readonly string[] = [
  procedure(
    'added',
    `insert into person_order (position, organization_id, name) values (new.sequence, new.organization_id, ${folded})`,
  ),
  procedure('renamed', `update person_order set name = ${folded} where position = new.sequence`),
  procedure('removed', 'delete from person_order where position = old.sequence'),
  procedure('signed_in', 'update person_order set signed_in_at = new.at where position = new.user_sequence'),
  procedure('sign_in_removed', 'update person_order set signed_in_at = 0 where position = old.user_sequence'),
  trigger('added', 'insert on "user"'),
  trigger('renamed', 'update of username, name on "user"'),
  trigger('removed', 'delete on "user"'),
  trigger('signed_in', 'insert or update of at on last_sign_in'),
  trigger('sign_in_removed', 'delete on last_sign_in'),
]
