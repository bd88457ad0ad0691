import type { ServiceContext } from '../context/service-context.ts'
import { within } from '../context/within.ts'
import type { Queryable } from '../database/schema/schema.ts'
import { inTransaction } from '../database/transaction-ends.ts'

/** Remembers the answer of a call in the transaction of its change. */
export interface AnswerMemory {
  /** @throws {ApiProblem} if another call with the key was faster. */
  claim(db: Queryable): Promise<void>
  /** @param answer Undefined if there is no content. */
  store(db: Queryable, answer: unknown): Promise<void>
  /** Nothing was created: the key stays free. */
  release(db: Queryable): Promise<void>
}

interface Context extends Pick<ServiceContext, 'store'> {
  /** Absent without an `Idempotency-Key`. */
  readonly memory?: AnswerMemory
}

interface Once<C, T, A> {
  /** The change, in a transaction. @returns undefined if nothing was created. */
  readonly change: (db: Queryable) => Promise<T>
  /** The answer of the operation. Only reads: in the transaction if the answer is remembered, otherwise after it. */
  readonly answer: (result: Exclude<T, undefined>, call: C) => A | Promise<A>
  /** Begins the transaction, if it is not an ordinary one. */
  readonly begin?: <R>(run: (db: Queryable) => Promise<R>) => Promise<R>
}

/**
 * Makes the change of a creating operation and answers it. With an `Idempotency-Key`, change and answer are committed together, so
 * that a caller who missed the answer gets it by repeating the call. A handler returns what this returns.
 *
 * @returns undefined if nothing was created.
 */
export async function answerOnce<C extends Context, T, A>(
  call: C,
  { change, answer, begin = (run) => inTransaction(call.store.db, run) }: Once<C, T, A>,
): Promise<A | Extract<T, undefined>> {
  const { memory } = call
  if (!memory) {
    const result = await begin(change)
    return isCreated(result) ? answer(result, call) : nothing<T>()
  }
  return begin(async (db) => {
    await memory.claim(db)
    const result = await change(db)
    if (!isCreated(result)) {
      await memory.release(db)
      return nothing<T>()
    }
    const remembered = await answer(result, within(call, db))
    await memory.store(db, remembered)
    return remembered
  })
}

const isCreated = <T>(result: T): result is Exclude<T, undefined> => result !== undefined

/** A change that always creates something returns no `undefined`. */
const nothing = <T>() => undefined as Extract<T, undefined>
