import { shownName } from './0010-person-order.ts'
import { sqliteFold } from './fold.ts'

const trigger = (name: string, event: string, body: string) =>
  `create trigger person_order_${name} after ${event} for each row begin ${body}; end`

const folded = `(select ${sqliteFold('n.shown')} from (select ${shownName('new')} as shown) n)`

const noteSignIn = 'update person_order set signed_in_at = new.at where position = new.user_sequence'

export const sqlitePersonOrder: readonly string[] = [
  trigger(
    'added',
    'insert on "user"',
    `insert into person_order (position, organization_id, name) values (new.sequence, new.organization_id, ${folded})`,
  ),
  trigger(
    'renamed',
    'update of username, name on "user"',
    `update person_order set name = ${folded} where position = new.sequence`,
  ),
  trigger('removed', 'delete on "user"', 'delete from person_order where position = old.sequence'),
  trigger('signed_in', 'insert on last_sign_in', noteSignIn),
  trigger('signed_in_again', 'update of at on last_sign_in', noteSignIn),
  trigger(
    'sign_in_removed',
    'delete on last_sign_in',
    'update person_order set signed_in_at = 0 where position = old.user_sequence',
  ),
]
