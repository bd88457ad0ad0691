import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Sqlite from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'

import { sqlitePlan } from '../../../support/query-plans.ts'

// Statements are recorded when they are compiled, which happens once in a process: those of other files must not count.
vi.resetModules()
const { pruneAudit } = await import('../../../../src/service/engine/audit/retention.ts')
const { sweep } = await import('../../../../src/service/upkeep/sweep.ts')
const { recordStatements } = await import('../../../support/recorded-statements.ts')
const { openDatabase } = await import('../audit/recorded.ts')
const { keysFor } = await import('../../start-service.ts')

/** Tables with one row per audit chain, changes of the last minutes, the rows that a step has found, and a few signing keys. */
const small = ['trusted_clock', 'audit_writer', 'epoch_change', 'due', 'oidc_key']

it('a sweep finds expired rows through indexes, without table scans', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-sweep-'))
  const database = join(folder, 'mfa.sqlite')
  const { ctx, close } = await openDatabase(database, keysFor(database))
  const sqlite = new Sqlite(database)
  onTestFinished(async () => {
    sqlite.close()
    await close()
    rmSync(folder, { recursive: true })
  })
  const { statements, stop } = recordStatements()

  await sweep(ctx)
  await pruneAudit(ctx, 1)
  stop()

  const accesses = [...statements.values()].flatMap(({ sql }) => sqlitePlan(sqlite, sql))
  const walked = accesses.filter(({ table, columns }) => columns.length === 0 && !small.includes(table))
  expect(statements.size).toBeGreaterThan(10)
  expect(walked).toEqual([])
  expect(accesses.filter(({ columns }) => columns.join() === 'state')).toEqual([])
})
