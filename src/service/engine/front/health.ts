import type { ServiceContext } from '../context/service-context.ts'
import { answer, jsonLabel } from '../http/answer.ts'
import { ApiProblem } from '../base/problem.ts'
import type { Store } from '../database/store.ts'
import type { Page } from './front.ts'

/** How long the database may take to respond to a readiness check, milliseconds. */
const databaseTimeout = 2_000

/** Whether the process is up, without a look at its dependencies. */
export const health: Page = {
  path: '/healthz',
  serve: (_req, res) => answer(res, 200, { status: 'ok' }, jsonLabel),
}

/** Whether requests can be served: the database answers and accepts changes, and the service is not closing. */
export function readiness(ctx: Pick<ServiceContext, 'store' | 'clock' | 'waiters' | 'losses'>): Page {
  return {
    path: '/readyz',
    async serve(_req, res) {
      if (ctx.waiters.closed()) throw unavailable(new Error('The service is closing.'))
      await withinTimeout(ctx, requireUsable(ctx.store))
      const detail = ctx.losses.notice()
      answer(res, 200, { status: 'ok', ...(detail !== undefined && { detail }) }, jsonLabel)
    },
  }
}

/** The same as a metric. Rejects if the database does not answer or cannot be written. */
export async function isReady({ store, waiters }: Pick<ServiceContext, 'store' | 'waiters'>): Promise<boolean> {
  if (waiters.closed()) return false
  await requireUsable(store)
  return true
}

async function requireUsable(store: Store): Promise<void> {
  const problem = await store.problem()
  if (problem !== undefined) throw new Error(problem)
  await store.db.selectFrom('service').select('id').executeTakeFirstOrThrow()
}

async function withinTimeout({ clock }: Pick<ServiceContext, 'clock'>, query: Promise<unknown>): Promise<void> {
  let stop = () => {}
  const late = new Promise<never>((_resolve, reject) => {
    stop = clock.after(databaseTimeout, () => reject(new Error('Timed out waiting for the database.')))
  })
  try {
    await Promise.race([query, late])
  } catch (cause) {
    throw unavailable(cause)
  } finally {
    stop()
  }
}

const unavailable = (cause: unknown) => new ApiProblem('api.error.unavailable', undefined, { cause })
