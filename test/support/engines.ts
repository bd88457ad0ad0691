import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll } from 'vitest'

import { isLongRun, isShortRun } from './full-run.ts'
import { openPostgres } from './postgres.ts'
import type { Postgres } from './postgres.ts'
import { createSchema } from './schema-file.ts'

type Engine = 'SQLite' | 'PostgreSQL'

/** For `describe.each`, on both in `npm test`: what the database does itself, and attacks on it. */
export const engines: readonly Engine[] = process.env.SQLITE_ONLY ? ['SQLite'] : ['SQLite', 'PostgreSQL']

/**
 * For `describe.each`, of features: `npm test` runs these on SQLite, and `npm run test:full` on PostgreSQL, too. That every statement
 * is valid on PostgreSQL, and uses an index, is in `plans.test.ts`.
 */
export const mainEngines: readonly Engine[] = isLongRun ? engines : ['SQLite']

/**
 * For `describe.each`, of requests that conflict: `npm test` sends them to PostgreSQL alone, where transactions really overlap. SQLite
 * executes one after the other.
 */
export const conflictEngines: readonly Engine[] = isShortRun && engines.length > 1 ? ['PostgreSQL'] : engines

/**
 * Call it in a `describe`.
 * @param options.empty Whether databases are created without tables; by default they have the present schema.
 * @returns a function that creates a database, which several services can share.
 */
export function useEngine(engine: Engine, { empty = false } = {}): () => Promise<string> {
  let postgres: Postgres | undefined
  let folder: string
  let count = 0

  beforeAll(async () => {
    if (engine === 'PostgreSQL') postgres = await openPostgres()
    folder = mkdtempSync(join(tmpdir(), 'second-factor-engine-'))
  })
  afterAll(async () => {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  return async () => {
    count += 1
    if (postgres) return empty ? postgres.createEmptyDatabase() : postgres.createDatabase()
    const file = join(folder, `${count}.sqlite`)
    if (!empty) await createSchema(file)
    return file
  }
}
