import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

import { endsOfSignIns, leftOut } from '../timeline-events.ts'
import type { Engine } from './0001-schema.ts'

/** Where the entries of the audit trail about each person are. What the sweep has not reached yet, it adds. */
export const timeline = ({ jsonText }: Engine): Migration => ({
  async up(db) {
    for (const statement of statements(jsonText('a.facts', 'user'))) await sql.raw(statement).execute(db)
  },
})

const listOf = (events: readonly string[]): string => events.map((event) => `'${event}'`).join(', ')

const statements = (user: string): readonly string[] => [
  // By the number of the user: with ids, the table would be three times as large.
  `create table timeline_entry (
    user_sequence bigint not null references "user" (sequence),
    position bigint not null,
    sign_in integer not null,
    constraint timeline_entry_once primary key (user_sequence, position)
  )`,
  `insert into timeline_entry (user_sequence, position, sign_in)
    select u.sequence, a.position, case when a.event in (${listOf(endsOfSignIns)}) then 1 else 0 end
    from audit a
    inner join audit_writer w on w.id = a.writer
    inner join "user" u on u.id = ${user}
    where a.sequence <= w.counted_sequence and a.event not in (${listOf(leftOut)})
    order by 1, 2`,
]
