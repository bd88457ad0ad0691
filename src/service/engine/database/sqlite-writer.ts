import { setImmediate as nextTurn } from 'node:timers/promises'

import type BetterSqlite3 from 'better-sqlite3'

import { useDatabase, watchCaller } from '../base/waiting-caller.ts'
import type { DatabaseUse } from '../base/waiting-caller.ts'
import { usualDatabaseTime } from './store.ts'
import { OutcomeUnknownError } from '../base/store-errors.ts'
import { isDiskError, whileBusy } from './sqlite-outage.ts'

/**
 * The one connection that writes, with group commit.
 *
 * COMMIT waits for the disk, 0.1 to 3 ms, and the whole process with it. So units of work that arrive soon after each other share
 * one transaction: each has a savepoint in it, one after the other, and each is acknowledged when the COMMIT of all has
 * succeeded. A unit that fails takes back its savepoint and disturbs no other.
 *
 * The first unit waits as long as further ones arrive. From BEGIN on, nothing is waited for but the statements of the units, because
 * the file is locked for other processes. With eight callers at once, eight codes share a COMMIT instead of four, and the
 * service checks 45 % more of them. A single caller waits 0.01 ms longer.
 */
export interface Writer {
  readonly database: BetterSqlite3.Database
  /**
   * Waits for the turn of a unit of work, in the order of arrival, and begins it.
   *
   * @throws {CallerGoneError} when the caller hangs up meanwhile.
   * @throws {StoreUnavailableError} when another process keeps the file locked.
   */
  begin(): Promise<Unit>
}

/** A unit of work that has its turn. The next one begins when it ends. */
export interface Unit {
  /** @throws what the statement throws; once SQLite has rolled everything back, the reason for that. */
  run<T>(statement: () => T): T
  /**
   * Ends the unit. Its changes are committed when this resolves, and not before.
   *
   * @throws the reason why COMMIT failed; nothing of the group is kept then, as far as SQLite knows.
   */
  commit(): Promise<void>
  rollback(): void
}

export interface WriterOptions {
  /** How long after its arrival a unit gives up while another process locks the file, milliseconds. */
  readonly timeout: () => number
  /** How long all units of one request may take together, with their waits, milliseconds; as on PostgreSQL. */
  readonly requestTime?: number | undefined
  /** Called with each error of SQLite; throws the error that it returns. */
  readonly failed: (error: unknown) => unknown
}

/** So that one turn of the event loop does not keep other requests waiting for long. */
const maxUnits = 64

/** One turn can bring only requests that change nothing. With one, a group has 10 % fewer units; three make no difference. */
const quietTurns = 2

/** Units that share a transaction. */
interface Group {
  units: number
  readonly committed: PromiseWithResolvers<void>
}

export function createWriter(
  database: BetterSqlite3.Database,
  { timeout, requestTime = usualDatabaseTime, failed }: WriterOptions,
): Writer {
  const waiting: (() => void)[] = []
  let isTaken = false
  let group: Group | undefined
  const prepare = createStatementCache(database)

  function openGroup(): Group {
    const opened: Group = { units: 0, committed: Promise.withResolvers() }
    // Units that fail wait for no COMMIT.
    opened.committed.promise.catch(() => {})
    return opened
  }

  function commitGroup({ committed }: Group): void {
    group = undefined
    try {
      prepare('commit').run()
      committed.resolve()
    } catch (error) {
      undoAll()
      committed.reject(endOfCommit(error, failed))
    }
  }

  function abandonGroup(reason: unknown): void {
    group?.committed.reject(reason)
    group = undefined
  }

  function undoAll(): void {
    try {
      if (database.inTransaction) prepare('rollback').run()
    } catch {
      // The error that broke the transaction is reported.
    }
  }

  function endTurn(): void {
    const next = waiting.shift()
    // A database in memory has no disk to wait for: each unit is its own group.
    if (group && (!next || database.memory || group.units >= maxUnits)) commitGroup(group)
    if (next) next()
    else isTaken = false
  }

  /** Returns when {@link quietTurns} turns of the event loop have brought no further unit, or the transaction would be full. */
  async function gatherUnits(): Promise<void> {
    let previousLength: number
    do {
      previousLength = waiting.length
      for (let turn = 0; turn < quietTurns; turn++) await nextTurn()
    } while (waiting.length > previousLength && waiting.length < maxUnits)
  }

  async function enterGroup(until: number, requireCaller: () => void): Promise<Group> {
    if (group) requireCaller()
    // Deferred, a transaction that reads and then writes fails when another process wrote in between.
    else await whileBusy(until, () => prepare('begin immediate').run(), requireCaller)
    group ??= openGroup()
    group.units += 1
    prepare('savepoint unit').run()
    return group
  }

  function createUnit({ committed }: Group, use: DatabaseUse): Unit {
    /** Why SQLite rolled the transaction back by itself, as it does when the disk is full. */
    let undone: { readonly reason: unknown } | undefined
    const run: Unit['run'] = (statement) => {
      // Earlier changes are gone. Later ones would be committed alone.
      if (undone) throw undone.reason
      try {
        return statement()
      } catch (error) {
        const reason = failed(error)
        if (!database.inTransaction) {
          undone = { reason }
          abandonGroup(reason)
        }
        throw reason
      }
    }
    return {
      run,
      commit() {
        run(() => prepare('release unit').run())
        committed.promise.then(use.end, use.end)
        endTurn()
        return committed.promise
      },
      rollback() {
        try {
          if (!undone) prepare('rollback to unit').run()
          if (!undone) prepare('release unit').run()
        } catch (error) {
          undoAll()
          abandonGroup(failed(error))
        } finally {
          use.end()
          endTurn()
        }
      },
    }
  }

  return {
    database,
    async begin() {
      const change = watchCaller()
      // From its arrival, not from its turn: those behind a change that has waited in vain do not wait as long again.
      const use = useDatabase(requestTime)
      const until = performance.now() + Math.min(timeout(), use.timeLeft())
      if (isTaken) await new Promise<void>((resolve) => void waiting.push(resolve))
      else {
        isTaken = true
        // A database in memory has no disk to wait for.
        if (!database.memory) await gatherUnits()
      }
      try {
        // A disk that hung has held up the whole process, and this unit with it.
        use.timeLeft()
        const enteredGroup = await enterGroup(until, change.requireCaller)
        change.begin()
        return createUnit(enteredGroup, use)
      } catch (error) {
        use.end()
        endTurn()
        throw failed(error)
      }
    },
  }
}

/** After an error of the disk, the log may hold the change, and count as committed when the file is opened again. */
function endOfCommit(error: unknown, failed: WriterOptions['failed']): unknown {
  const outage = failed(error)
  if (!isDiskError(error)) return outage
  return new OutcomeUnknownError('The disk reports an error.', { cause: error })
}

/** More than we have; a bound for lists of any length in `in (…)`. */
const maxStatements = 500

/** Prepares each statement once. */
export function createStatementCache(database: BetterSqlite3.Database): (sql: string) => BetterSqlite3.Statement {
  const statements = new Map<string, BetterSqlite3.Statement>()
  return (sql) => {
    const cached = statements.get(sql)
    if (cached) return cached
    if (statements.size >= maxStatements) statements.clear()
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
}
