import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll } from 'vitest'

import { openPostgres } from './postgres.ts'
import type { Postgres } from './postgres.ts'

type Engine = 'SQLite' | 'PostgreSQL'

/** For `describe.each`: the service behaves the same on both. The quick run leaves PostgreSQL out. */
export const engines: readonly Engine[] = process.env.SQLITE_ONLY ? ['SQLite'] : ['SQLite', 'PostgreSQL']

/**
 * Call it in a `describe`.
 * @param options.empty Whether databases are created without tables; by default PostgreSQL's have the present schema.
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
    if (!postgres) return join(folder, `${count}.sqlite`)
    return empty ? postgres.createEmptyDatabase() : postgres.createDatabase()
  }
}
