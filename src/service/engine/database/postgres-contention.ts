import { setTimeout as pause } from 'node:timers/promises'

import { Kysely } from 'kysely'
import type { IsolationLevel, KyselyConfig, Transaction, TransactionBuilder } from 'kysely'

import { observable } from './observed-dialect.ts'
import { isUndone } from './postgres-dialect.ts'
import { isUnprepared } from './postgres-pool.ts'
import { useDatabase, watchCaller, withinTime } from '../base/waiting-caller.ts'
import { StoreUnavailableError } from '../base/store-errors.ts'
import { watching } from './transaction-ends.ts'
import type { WhileContended } from './postgres-dialect.ts'

/** Milliseconds. */
const maxRetryTime = 10_000

const maxPause = 40

/**
 * Transactions as on SQLite: as if one ran after the other. PostgreSQL lets them run side by side and fails those that
 * would notice each other (its manual, section 13.2.3); these are retried. So everything that a transaction does
 * besides its queries must be repeatable. Transactions of a sign-in are `read committed` instead, because they would fail
 * too often: each of them needs a proof in `docs/decisions/0034`.
 */
export class SerializableDatabase<DB> extends Kysely<DB> {
  readonly #whileContended: WhileContended

  constructor(config: KyselyConfig, whileContended: WhileContended) {
    const { dialect, attach } = observable(config.dialect)
    super({ ...config, dialect })
    attach(this)
    this.#whileContended = whileContended
  }

  override transaction(): TransactionBuilder<DB> {
    return this.#at('serializable')
  }

  #at(level: IsolationLevel): TransactionBuilder<DB> {
    const builder = super.transaction().setIsolationLevel(level)
    const execute = watching(builder, (error) => isContention(error) || isUndone(error), this)
    return Object.assign(builder, {
      execute: <T>(callback: (db: Transaction<DB>) => Promise<T>) => {
        const change = watchCaller()
        return this.#whileContended(() =>
          execute((db) => {
            // The wait for a connection may have been long.
            change.requireCaller()
            change.begin()
            return callback(db)
          }),
        )
      },
      setIsolationLevel: (other: IsolationLevel) => this.#at(other),
    })
  }
}

/**
 * One at a time is tried again, so that not all of them meet again.
 *
 * @param timeout How long a request may take at the database, milliseconds.
 */
export function createWhileContended(timeout: number): WhileContended {
  let queue: Promise<unknown> = Promise.resolve()
  return async <T>(attempt: () => Promise<T>): Promise<T> => {
    try {
      return await attempt()
    } catch (error) {
      if (!isContention(error)) throw error
    }
    const use = useDatabase(timeout)
    let isWanted = true
    const turn = queue
    const retry = turn.then(() => (isWanted ? tryAgain(attempt) : undefined))
    queue = retry.catch(() => {})
    try {
      await withinTime(use, turn)
      return (await retry) as T
    } catch (error) {
      isWanted = false
      throw error
    } finally {
      use.end()
    }
  }
}

async function tryAgain<T>(attempt: () => Promise<T>): Promise<T> {
  const end = performance.now() + maxRetryTime
  for (let delay = 1; ; delay = Math.min(delay * 2, maxPause)) {
    try {
      return await attempt()
    } catch (error) {
      if (!isContention(error)) throw error
      if (performance.now() >= end) throw new StoreUnavailableError('The database stayed busy.', { cause: error })
    }
    // The pause is random, so that nodes do not retry in step.
    await pause(delay * (0.5 + Math.random() / 2))
  }
}

/** serialization_failure, deadlock_detected; and statements that have to be prepared again. */
function isContention(error: unknown): boolean {
  const isConflict = error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01')
  return isConflict || isUnprepared(error)
}
