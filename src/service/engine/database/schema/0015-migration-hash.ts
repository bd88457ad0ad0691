/**
 * Adds the hash of each migration's statements, which distinguishes a database of another build from one of a newer version. The
 * transaction that migrates fills it in, for the earlier migrations too.
 */
export const migrationHash: readonly string[] = ['alter table kysely_migration add column hash text']
