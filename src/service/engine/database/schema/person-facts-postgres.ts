import { shownName } from './0010-person-order.ts'
import { activeAt, codesUntil, hasNone, levelOfMember, levelOfPerson } from './0026-person-facts.ts'
import type { Engine } from './engine.ts'

const procedure = (name: string, body: readonly string[], result = 'return null') =>
  `create function person_facts_${name}() returns trigger language plpgsql as $$ begin ${[...body, result].join('; ')}; end $$`

const trigger = (name: string, event: string, called: string, when = '') =>
  `create trigger person_facts_${name} after ${event} for each row ${when} execute function person_facts_${called}()`

/*
 * A transaction that reads other rows than it writes could miss what another one has changed at the same time. So each change of what counts
 * writes the row of the person, as its first statement: a second one waits for it, and then reads anew, or is repeated if it is serializable.
 */
const lock = (userId: string) =>
  `perform 1 from person_order where position = (select u.sequence from "user" u where u.id = ${userId}) for update`

const noteCodes = (userId: string): readonly string[] => [
  lock(userId),
  `update person_order set codes_until = ${codesUntil('person_order.position')}
    where position = (select u.sequence from "user" u where u.id = ${userId})`,
]

export const postgresPersonFacts: Engine['personFacts'] = {
  former: [
    ...[
      ['added', '"user"'],
      ['signed_in', 'last_sign_in'],
      ['sign_in_removed', 'last_sign_in'],
    ].flatMap(([name, table]) => [
      `drop trigger person_order_${name} on ${table}`,
      `drop function person_order_${name}()`,
    ]),
    'drop trigger member_order_added on membership',
    'drop function member_order_added()',
  ],
  of(places) {
    const notePerson = (userId: string): readonly string[] => [
      lock(userId),
      `update person_order set factor_level = ${levelOfPerson('person_order.position', places)}
    where position = (select u.sequence from "user" u where u.id = ${userId})`,
    ]
    const noteFactors = (userId: string): readonly string[] => [
      ...notePerson(userId),
      `update membership set factor_level = ${levelOfMember('membership.user_id', 'membership.domain_id', places)}
    where user_id = ${userId} and factor_level <> ${levelOfMember('membership.user_id', 'membership.domain_id', places)}`,
    ]
    return [
      procedure('person_added', [
        `insert into person_order (position, organization_id, name, factor_level, active_at)
      values (new.sequence, new.organization_id, search_fold(${shownName('new')}),
        case when ${hasNone('new', places)} then 0 else 1 end, new.created_at)`,
      ]),
      procedure('dated', [
        `update person_order set active_at = ${activeAt('new.sequence')} where position = new.sequence`,
      ]),
      procedure('signed_in', [
        `update person_order set signed_in_at = new.at, active_at = ${activeAt('new.user_sequence')}
      where position = new.user_sequence`,
      ]),
      procedure('sign_in_removed', [
        `update person_order set signed_in_at = 0, active_at = ${activeAt('old.user_sequence')}
      where position = old.user_sequence`,
      ]),
      procedure(
        'member_level',
        [
          'new.user_sequence := (select u.sequence from "user" u where u.id = new.user_id)',
          lock('new.user_id'),
          `new.factor_level := coalesce(${levelOfMember('new.user_id', 'new.domain_id', places)}, 0)`,
        ],
        'return new',
      ),
      // Not before: a membership that is there already is not inserted again.
      procedure('member_added', [
        `update person_order set factor_level = case when factor_level = 1 then 2 else factor_level end
      where position = new.user_sequence`,
      ]),
      procedure('member_removed', notePerson('old.user_id')),
      procedure('changed_user', noteFactors('new.id')),
      procedure('new_factor', noteFactors('new.user_id')),
      procedure('former_factor', noteFactors('old.user_id')),
      procedure('moved_factor', [...noteFactors('old.user_id'), ...noteFactors('new.user_id')]),
      procedure('new_code', noteCodes('new.user_id')),
      procedure('former_code', noteCodes('old.user_id')),
      trigger('person_added', 'insert on "user"', 'person_added'),
      ...places.map((place) => {
        const when = `when ((old.${place} = '') <> (new.${place} = ''))`
        return trigger(place, `update of ${place} on "user"`, 'changed_user', when)
      }),
      trigger('dated', 'update of created_at on "user"', 'dated'),
      trigger('signed_in', 'insert or update of at on last_sign_in', 'signed_in'),
      trigger('sign_in_removed', 'delete on last_sign_in', 'sign_in_removed'),
      `create trigger person_facts_member_level before insert on membership
    for each row execute function person_facts_member_level()`,
      trigger('member_added', 'insert on membership', 'member_added'),
      trigger('member_removed', 'delete on membership', 'member_removed'),
      trigger('token_added', 'insert on token', 'new_factor', "when (new.state = 'active')"),
      trigger('token', 'update of state on token', 'new_factor', 'when (old.state <> new.state)'),
      trigger('token_removed', 'delete on token', 'former_factor', "when (old.state = 'active')"),
      trigger('passkey_added', 'insert on passkey', 'new_factor'),
      trigger('passkey_removed', 'delete on passkey', 'former_factor'),
      trigger('hardware_added', 'insert on hardware_token', 'new_factor', 'when (new.user_id is not null)'),
      trigger(
        'hardware',
        'update of user_id on hardware_token',
        'moved_factor',
        'when (old.user_id is distinct from new.user_id)',
      ),
      trigger('hardware_removed', 'delete on hardware_token', 'former_factor', 'when (old.user_id is not null)'),
      trigger('code_added', 'insert on bypass_code', 'new_code'),
      trigger('code', 'update of uses_remaining, expires_at on bypass_code', 'new_code'),
      trigger('code_removed', 'delete on bypass_code', 'former_code'),
    ]
  },
}
