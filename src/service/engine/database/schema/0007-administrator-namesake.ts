import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Users with the e-mail address of an administrator, of whom an owner has said that they are somebody else. */
export const administratorNamesake: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  `create table administrator_namesake (
    administrator_id text not null references administrator (id),
    user_id text not null,
    primary key (administrator_id, user_id)
  )`,
]
