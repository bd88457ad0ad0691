import { copyFileSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openSqliteStore } from '../../src/service/engine/database/sqlite.ts'

/** Creates a SQLite file with the present schema and no row: a copy takes a hundredth of the time of the migrations. */
export async function createSchema(file: string): Promise<void> {
  copyFileSync(await schemaFile(), file)
}

/** The same for a database that a service is about to create, unless it is in memory, on PostgreSQL or there already. */
export async function createSchemaOf(database: string): Promise<void> {
  if (database.endsWith('.sqlite') && !existsSync(database)) await createSchema(database)
}

let created: Promise<string> | undefined

/** What is copied, one for each worker. */
function schemaFile(): Promise<string> {
  created ??= createSchemaFile()
  return created
}

async function createSchemaFile(): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'second-factor-schema-')), 'schema.sqlite')
  const store = await openSqliteStore(file)
  await store.close()
  return file
}
