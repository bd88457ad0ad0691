import { Kysely } from 'kysely'
import type { DatabaseConnection, KyselyConfig, Transaction, TransactionBuilder } from 'kysely'

import { observable } from './observed-dialect.ts'
import type { Database, Queryable } from './schema/schema.ts'

/** How a transaction ended; `unknown` where the connection broke while it was committed. */
export type Ending = 'committed' | 'undone' | 'unknown'

type Listener = (ending: Ending) => void

/** A transaction, until its end. */
interface Running {
  readonly database: object | undefined
  readonly listeners: Listener[]
  /** Executes its statements; absent after the last one. */
  connection?: DatabaseConnection | undefined
}

const transactions = new WeakMap<object, Running>()

/** The listener for the changes of each database, and its shared connection. */
const notifiers = new WeakMap<object, (keys: readonly string[]) => void>()
const sharedConnections = new WeakMap<object, DatabaseConnection>()

/**
 * The connection of a running transaction, or the shared one of a database, for declared statements. Kysely's own way to a
 * connection takes ten promises for each statement, a sixth of the processor time of a sign-in. After the transaction, its way
 * is the only one, and throws.
 */
export const connectionOf = (db: Queryable): DatabaseConnection | undefined =>
  transactions.get(db)?.connection ?? sharedConnections.get(db)

/** Sets the listener that `notifyAfter` calls with changed keys. */
export function setNotifier(database: Queryable, notifier: (keys: readonly string[]) => void): void {
  notifiers.set(database, notifier)
}

/** Notifies requests that wait for these keys once the transaction is over, unless it was rolled back. */
export function notifyAfter(db: Queryable, keys: readonly string[]): void {
  if (keys.length === 0) return
  onTransactionEnd(db, (ending) => {
    if (ending !== 'undone') notifiers.get(transactions.get(db)?.database ?? db)?.(keys)
  })
}

/** Calls back when the transaction is over. Values read in it may still be rolled back before that. */
export function onTransactionEnd(db: Queryable, listener: Listener): void {
  const running = transactions.get(db)
  if (!running) throw new Error('Only what happens in a transaction has an end.')
  running.listeners.push(listener)
}

/** Calls back when the transaction is over, unless it was rolled back. */
export function afterCommit(db: Queryable, listener: () => void): void {
  onTransactionEnd(db, (ending) => {
    if (ending !== 'undone') listener()
  })
}

/** Makes a change in the transaction that its caller has opened, or in one of its own. */
export const inTransaction = <T>(db: Queryable, change: (db: Queryable) => Promise<T>): Promise<T> =>
  db.isTransaction ? change(db) : db.transaction().execute(change)

/** Says how its transactions end. */
export class WatchedDatabase<DB> extends Kysely<DB> {
  constructor(config: KyselyConfig) {
    const { dialect, shared, attach } = observable(config.dialect)
    super({ ...config, dialect })
    attach(this)
    if (shared) sharedConnections.set(this, shared)
  }

  override destroy(): Promise<void> {
    sharedConnections.delete(this)
    return super.destroy()
  }

  override transaction(): TransactionBuilder<DB> {
    const builder = super.transaction()
    // SQLite knows one level, at which transactions follow each other.
    return Object.assign(builder, {
      execute: watching(builder, undefined, this),
      setIsolationLevel: () => this.transaction(),
    })
  }
}

/** Begins a transaction of a sign-in. Each of them needs a proof in `docs/decisions/0034`. */
export const readCommitted = (db: Queryable): TransactionBuilder<Database> =>
  db.transaction().setIsolationLevel('read committed')

/** @param surelyUndone Whether an error of COMMIT itself says that nothing was committed. */
export function watching<DB>(
  builder: TransactionBuilder<DB>,
  surelyUndone: (error: unknown) => boolean = () => false,
  database?: Kysely<DB>,
): TransactionBuilder<DB>['execute'] {
  const execute = builder.execute.bind(builder)
  return async (callback) => {
    const running: Running = { database, listeners: [] }
    const tell = (ending: Ending) => running.listeners.forEach((listener) => listener(ending))
    let committing = false
    let result
    try {
      result = await execute(async (db: Transaction<DB>) => {
        transactions.set(db, running)
        await db.getExecutor().provideConnection(async (connection) => void (running.connection = connection))
        try {
          const done = await callback(db)
          committing = true
          return done
        } finally {
          running.connection = undefined
        }
      })
    } catch (error) {
      tell(committing && !surelyUndone(error) ? 'unknown' : 'undone')
      throw error
    }
    // Outside of it: a listener that throws must not be called again.
    tell('committed')
    return result
  }
}
