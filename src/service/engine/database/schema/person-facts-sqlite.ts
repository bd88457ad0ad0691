import { shownName } from './0010-person-order.ts'
import { activeAt, codesUntil, hasNone, levelOfMember, levelOfPerson } from './0026-person-facts.ts'
import type { Engine } from './engine.ts'
import { sqliteFold } from './fold.ts'

const trigger = (name: string, event: string, body: readonly string[], when = '') =>
  `create trigger person_facts_${name} after ${event} for each row ${when} begin ${body.join('; ')}; end`

const sequenceOf = (userId: string) => `(select u.sequence from "user" u where u.id = ${userId})`

const noteCodes = (userId: string): readonly string[] => [
  `update person_order set codes_until = ${codesUntil('person_order.position')} where position = ${sequenceOf(userId)}`,
]

const folded = `(select ${sqliteFold('n.shown')} from (select ${shownName('new')} as shown) n)`

const noteSignIn = `update person_order set signed_in_at = new.at, active_at = ${activeAt('new.user_sequence')}
    where position = new.user_sequence`

export const sqlitePersonFacts: Engine['personFacts'] = {
  former: [
    ...['added', 'signed_in', 'signed_in_again', 'sign_in_removed'].map((name) => `drop trigger person_order_${name}`),
    'drop trigger member_order_added',
  ],
  of(places) {
    const notePerson = (userId: string) =>
      `update person_order set factor_level = ${levelOfPerson('person_order.position', places)} where position = ${sequenceOf(userId)}`
    const noteFactors = (userId: string): readonly string[] => [
      notePerson(userId),
      `update membership set factor_level = ${levelOfMember('membership.user_id', 'membership.domain_id', places)}
    where user_id = ${userId}`,
    ]
    return [
      trigger('person_added', 'insert on "user"', [
        `insert into person_order (position, organization_id, name, factor_level, active_at)
      values (new.sequence, new.organization_id, ${folded}, case when ${hasNone('new', places)} then 0 else 1 end, new.created_at)`,
      ]),
      ...places.map((place) => {
        const when = `when (old.${place} = '') <> (new.${place} = '')`
        return trigger(place, `update of ${place} on "user"`, noteFactors('new.id'), when)
      }),
      trigger('dated', 'update of created_at on "user"', [
        `update person_order set active_at = ${activeAt('new.sequence')} where position = new.sequence`,
      ]),
      trigger('signed_in', 'insert on last_sign_in', [noteSignIn]),
      trigger('signed_in_again', 'update of at on last_sign_in', [noteSignIn]),
      trigger('sign_in_removed', 'delete on last_sign_in', [
        `update person_order set signed_in_at = 0, active_at = ${activeAt('old.user_sequence')}
      where position = old.user_sequence`,
      ]),
      trigger('member_added', 'insert on membership', [
        `update membership set user_sequence = ${sequenceOf('new.user_id')},
      factor_level = coalesce(${levelOfMember('new.user_id', 'new.domain_id', places)}, 0) where sequence = new.sequence`,
        `update person_order set factor_level = 2
      where position = ${sequenceOf('new.user_id')} and factor_level = 1`,
      ]),
      trigger('member_removed', 'delete on membership', [notePerson('old.user_id')]),
      trigger('token_added', 'insert on token', noteFactors('new.user_id'), "when new.state = 'active'"),
      trigger('token', 'update of state on token', noteFactors('new.user_id'), 'when old.state <> new.state'),
      trigger('token_removed', 'delete on token', noteFactors('old.user_id'), "when old.state = 'active'"),
      trigger('passkey_added', 'insert on passkey', noteFactors('new.user_id')),
      trigger('passkey_removed', 'delete on passkey', noteFactors('old.user_id')),
      trigger('hardware_added', 'insert on hardware_token', noteFactors('new.user_id'), 'when new.user_id is not null'),
      trigger(
        'hardware',
        'update of user_id on hardware_token',
        [...noteFactors('old.user_id'), ...noteFactors('new.user_id')],
        'when old.user_id is not new.user_id',
      ),
      trigger(
        'hardware_removed',
        'delete on hardware_token',
        noteFactors('old.user_id'),
        'when old.user_id is not null',
      ),
      trigger('code_added', 'insert on bypass_code', noteCodes('new.user_id')),
      trigger('code', 'update of uses_remaining, expires_at on bypass_code', noteCodes('new.user_id')),
      trigger('code_removed', 'delete on bypass_code', noteCodes('old.user_id')),
    ]
  },
}
