import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Moves of accounts to another device. Rows end by themselves after minutes. */
export const deviceMoves: Migration = {
  async up(db) {
    await sql`create table device_move (
      device_id text primary key,
      code_lookup text unique,
      claim_id text unique,
      claim_name text,
      claim_key_x text,
      claim_key_y text,
      requested integer default 0 not null,
      expires_at bigint not null
    )`.execute(db)
    await sql`create index device_move_expired on device_move (expires_at)`.execute(db)
  },
}
