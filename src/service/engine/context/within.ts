import type { Queryable } from '../database/schema/schema.ts'
import { inTransaction } from '../database/transaction-ends.ts'
import type { ServiceContext } from './service-context.ts'

/** The service as a transaction uses it: what joins the transaction of its caller finds it here. */
export const within = <C extends Pick<ServiceContext, 'store'>>(ctx: C, db: Queryable): C => ({
  ...ctx,
  store: { ...ctx.store, db },
})

/** Runs a change in a transaction, with the context as that transaction uses it. */
export type Transact<C> = <T>(change: (ctx: C) => Promise<T>) => Promise<T>

/** Transactions in which nothing is decided: at the command line, the machine's access control decides. */
export const undecided =
  <C extends Pick<ServiceContext, 'store'>>(ctx: C): Transact<C> =>
  (change) =>
    inTransaction(ctx.store.db, (db) => change(within(ctx, db)))
