import type { Migration } from 'kysely/migration'

/**
 * What waits for a device or a user is looked up by its time, too. SQLite took the shorter index for a worse one than that
 * of the sweep, by state and time, and read all that waited for anybody.
 */
export const pendingLookups = (): Migration => ({
  async up(db) {
    for (const owner of ['device', 'user']) {
      await db.schema.dropIndex(`session_${owner}`).execute()
      await db.schema
        .createIndex(`session_${owner}`)
        .on('session')
        .columns([`${owner}_id`, 'state', 'expires_at'])
        .execute()
    }
  },
})
