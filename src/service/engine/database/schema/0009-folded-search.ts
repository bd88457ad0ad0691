import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

import type { Engine } from './0001-schema.ts'

/** People are found without case and accents, by the same fold on both databases. */
export const foldedSearch = ({ foldedSearch: statements }: Engine): Migration => ({
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
})
