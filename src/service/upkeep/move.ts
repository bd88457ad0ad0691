import type BetterSqlite3 from 'better-sqlite3'
import { CamelCasePlugin, Kysely, SqliteDialect } from 'kysely'

import type { Clock } from '../../ground/clock.ts'
import { audit } from '../engine/audit/audit.ts'
import type { AuditContext } from '../engine/audit/audit.ts'
import type { Actor } from '../engine/audit/entry.ts'
import { verifyAudit } from '../engine/audit/read.ts'
import { createTrail } from '../engine/audit/trail.ts'
import type { Verification } from '../engine/audit/verify-chains.ts'
import { RefusalError } from '../engine/base/errors.ts'
import type { Random } from '../engine/base/random.ts'
import { OutcomeUnknownError } from '../engine/base/store-errors.ts'
import { countMigrations } from '../engine/database/schema/applied-migrations.ts'
import { postgresEngine } from '../engine/database/schema/engine-postgres.ts'
import { sqliteEngine } from '../engine/database/schema/engine-sqlite.ts'
import { knownMigrations } from '../engine/database/schema/known-migrations.ts'
import { migrateInside } from '../engine/database/schema/migrate-to-latest.ts'
import { markMoved, movedError, readMove, unmarkMoved } from '../engine/database/schema/move-mark.ts'
import type { Database, Queryable } from '../engine/database/schema/schema.ts'
import { requireKeysInUse } from '../engine/secrets/admission.ts'
import type { KeyRing } from '../engine/secrets/key-ring.ts'
import { compareRows, copyTables, countRows, lockTables, notCopied, rowsOf, tablesOf } from './move-tables.ts'
import type { MovedTable } from './move-tables.ts'
import { auditHeadsOf, lockDatabase } from './sqlite-file.ts'

/** The database that gets the copy. */
interface Target {
  /** Its address without user and password. */
  readonly place: string
  /** Works on it in one transaction. */
  readonly transaction: <T>(work: (db: Queryable) => Promise<T>) => Promise<T>
}

interface MoveOptions {
  /** The keys of both databases. */
  readonly ring: KeyRing
  /** Whether everything is undone before the end. */
  readonly dryRun: boolean
  readonly progress: (copied: number, total: number) => void
  readonly clock: Clock
  readonly random: Random
  readonly actor: Actor
}

export interface Moved {
  /** The number of rows of each table, which both databases have; absent if an earlier, interrupted move has made the copy. */
  readonly tables?: Readonly<Record<string, number>>
  readonly audit: Pick<Verification, 'entries' | 'findings'>
}

/** Thrown to undo what a rehearsal has done. */
class Rehearsed extends Error {
  readonly moved: Moved
  constructor(moved: Moved) {
    super('rehearsed')
    this.moved = moved
  }
}

/**
 * Copies a SQLite database into an empty PostgreSQL database, and marks the file, so that nothing opens it any more. All of the copy is in
 * one transaction: until it ends, the PostgreSQL database is as it was.
 *
 * @throws {DatabaseFileError} if another process has the file open.
 * @throws {RefusalError} if one of the databases is not fit for it.
 * @throws {KeysError} if the keys are not those of the file.
 */
export async function moveDatabase(file: string, target: Target, options: MoveOptions): Promise<Moved> {
  const source = await lockDatabase(file)
  const db = new Kysely<Database>({
    dialect: new SqliteDialect({ database: source }),
    plugins: [new CamelCasePlugin()],
  })
  try {
    await requireLatest(db, file)
    await requireKeysInUse(db, options.ring, options)
    const isRepeated = resumes(source, target)
    const move = { source, db, target, options, tables: tablesOf(source) }
    const moved = await commit(move, isRepeated)
    if (!options.dryRun) endMove(move)
    return moved
  } finally {
    // Closes the file as well.
    await db.destroy()
  }
}

interface Move {
  readonly source: BetterSqlite3.Database
  /** The same, for statements that both databases know. */
  readonly db: Queryable
  readonly target: Target
  readonly options: MoveOptions
  readonly tables: readonly MovedTable[]
}

async function requireLatest(db: Queryable, file: string): Promise<void> {
  const count = await countMigrations(db, sqliteEngine, { moved: true })
  if (count === knownMigrations.length) return
  if (count === 0) throw new RefusalError(`${file} is not a database of second-factor. Choose another file.`)
  throw new RefusalError(
    `${file} has the schema of an earlier version (${count} of ${knownMigrations.length} migrations). Back it up, then upgrade it: ` +
      `second-factor domain list --database ${file}`,
  )
}

/**
 * Whether an earlier move to this place was interrupted at its end.
 * @throws {MovedDatabaseError} if it was complete: since then, codes may have been used that the file knows nothing of.
 */
function resumes(source: BetterSqlite3.Database, { place }: Target): boolean {
  const earlier = readMove(source)
  if (earlier === undefined) return false
  if (earlier.state === 'started' && earlier.to === place) return true
  throw movedError(earlier)
}

/** Copies the rows, and ends the transaction. */
async function commit(move: Move, isRepeated: boolean): Promise<Moved> {
  const { source, target, options } = move
  let marked = false
  try {
    return await target.transaction(async (db) => {
      const earlier = await openTarget(move, db, isRepeated)
      if (earlier) return earlier
      // An earlier move did not take effect, so its mark ends with this one if that fails, too.
      marked = isRepeated
      const moved = await copy(move, db)
      if (options.dryRun) throw new Rehearsed(moved)
      // From here on nobody uses the file, whether or not the end of the transaction is reported.
      markMoved(source, { state: 'started', to: target.place }, options.clock.now())
      marked = true
      return moved
    })
  } catch (error) {
    if (error instanceof Rehearsed) return error.moved
    if (error instanceof OutcomeUnknownError) throw outcomeUnknown(error)
    if (marked) unmarkMoved(source)
    throw error
  }
}

/** Until this succeeds, the earlier mark keeps the file from being used. */
function endMove({ source, target, options }: Move): void {
  try {
    markMoved(source, { state: 'done', to: target.place }, options.clock.now())
  } catch (cause) {
    throw new RefusalError(
      'PostgreSQL has stored the copy, but the SQLite file cannot be written. Check its disk, and run the same command again.',
      { cause },
    )
  }
}

const outcomeUnknown = (cause: unknown) =>
  new RefusalError(
    'PostgreSQL has not answered whether it has stored the copy. Run the same command again: it finds out. Until then nothing opens the file.',
    { cause },
  )

/**
 * Gives an empty database the schema.
 * @returns the result of an earlier move that the database contains already.
 * @throws {RefusalError} if the database contains anything else.
 */
async function openTarget(
  { tables, source, options }: Move,
  db: Queryable,
  isRepeated: boolean,
): Promise<Moved | undefined> {
  await migrateInside(db, postgresEngine)
  await lockTables(db, tables)
  const rows = await rowsOf(db, tables)
  if (rows.size === 0) return undefined
  if (isRepeated && (await idOf(db)) === source.prepare<[], string>('SELECT id FROM service').pluck().get()) {
    await requireKeysInUse(db, options.ring, options)
    return { audit: await verifyAudit(db, auditHeadsOf(source)) }
  }
  const found = [...rows].map(([name, count]) => `${name} (${count})`)
  throw new RefusalError(
    `The PostgreSQL database is not empty. It has rows in ${found.slice(0, 5).join(', ')}${found.length > 5 ? ' and others' : ''}. ` +
      'Create an empty database, and name that one.',
  )
}

async function idOf(db: Queryable): Promise<string | undefined> {
  return (await db.selectFrom('service').select('id').executeTakeFirst())?.id
}

async function copy(move: Move, db: Queryable): Promise<Moved> {
  const { source, tables, options } = move
  const { clock, random, actor } = options
  const copied = tables.filter(({ name }) => !(name in notCopied))
  const total = copied.reduce((sum, table) => sum + countRows(source, table), 0)
  let done = 0
  await copyTables(source, db, tables, (rows) => options.progress((done += rows), total))
  const counts = await compareRows(source, db, tables)
  await requireKeysInUse(db, options.ring, options)
  const verification = await verifyCopy(move, db)
  const ctx = { trail: createTrail({ clock, random }), actor, address: null }
  await recordMove(db, ctx, total)
  return { tables: counts, audit: verification }
}

/** Records the move in the new database. */
export const recordMove = (db: Queryable, ctx: AuditContext, count: number): Promise<void> =>
  audit(db, ctx, { event: 'database.moved', organizationId: null, facts: { count } })

/** Verifies the audit trail. What was altered before must not keep anybody from moving, so it is reported. */
async function verifyCopy({ source, db: original }: Move, db: Queryable): Promise<Moved['audit']> {
  const heads = auditHeadsOf(source)
  const { entries, findings } = await verifyAudit(db, heads)
  if (findings.length > 0 && !isSame(findings, (await verifyAudit(original, heads)).findings)) {
    throw new RefusalError('The audit trail of the copy differs from that of the SQLite file.')
  }
  return { entries, findings }
}

const isSame = (first: unknown, second: unknown): boolean => JSON.stringify(first) === JSON.stringify(second)
