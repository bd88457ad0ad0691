import { Kysely } from 'kysely'
import type { Transaction, TransactionBuilder } from 'kysely'

import type { Queryable } from './schema.ts'

/** How a transaction ended; `unknown` where the connection broke while it was committed. */
export type Ending = 'committed' | 'undone' | 'unknown'

type Listener = (ending: Ending) => void

const listeners = new WeakMap<object, Listener[]>()

/** Calls back when the transaction is over. What it learns in it, it must not believe before. */
export function whenOver(db: Queryable, listener: Listener): void {
  const present = listeners.get(db)
  if (!present) throw new Error('Only what happens in a transaction has an end.')
  present.push(listener)
}

/** Says how its transactions end. */
export class WatchedDatabase<DB> extends Kysely<DB> {
  override transaction(): TransactionBuilder<DB> {
    const builder = super.transaction()
    return Object.assign(builder, { execute: watching(builder) })
  }
}

/** @param surelyUndone Whether an error of COMMIT itself says that nothing was committed. */
export function watching<DB>(
  builder: TransactionBuilder<DB>,
  surelyUndone: (error: unknown) => boolean = () => false,
): TransactionBuilder<DB>['execute'] {
  const execute = builder.execute.bind(builder)
  return async (callback) => {
    const heard: Listener[] = []
    const tell = (ending: Ending) => heard.forEach((listener) => listener(ending))
    let committing = false
    try {
      const result = await execute(async (db: Transaction<DB>) => {
        listeners.set(db, heard)
        const done = await callback(db)
        committing = true
        return done
      })
      tell('committed')
      return result
    } catch (error) {
      tell(committing && !surelyUndone(error) ? 'unknown' : 'undone')
      throw error
    }
  }
}
