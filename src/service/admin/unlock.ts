import { audit } from '../audit/audit.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { forgetAllPushes } from '../push/push-budget.ts'
import { untilUnlocked } from '../rules/code-lock.ts'
import { codeBudgets, codesLockedUntil } from '../store/code-tries.ts'
import type { CodesOf } from '../store/code-tries.ts'
import type { Queryable } from '../store/schema.ts'
import { inTransaction } from '../store/transaction-ends.ts'

interface Of {
  readonly organizationId: string
  readonly userId: string
  /** The domains the user belongs to. */
  readonly domainIds: readonly string[]
}

/**
 * Clears the user's wrong codes, from known browsers and from elsewhere, and the requests that were not approved or were
 * reported, in every domain.
 */
export function unlockUser(ctx: ServiceContext, of: Of): Promise<void> {
  return inTransaction(ctx.store.db, (db) => unlockInTransaction(db, ctx, of))
}

export async function unlockInTransaction(
  db: Queryable,
  ctx: ServiceContext,
  { organizationId, userId, domainIds }: Of,
): Promise<void> {
  for (const { forget } of Object.values(codeBudgets)) await forget(db, userId)
  for (const domainId of domainIds) await forgetAllPushes(db, { domainId, userId })
  const facts = { user: userId }
  await audit(
    db,
    ctx,
    { event: 'codes.unlocked', organizationId, facts },
    { event: 'push.unlocked', organizationId, facts },
  )
}

/**
 * Until when the user's codes are locked, Unix time in seconds; `unlocked` if only an administrator can unlock them;
 * undefined if they are not locked.
 */
export async function codesLocked(
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  of: CodesOf,
): Promise<number | 'unlocked' | undefined> {
  const now = clock.now()
  const until = await codesLockedUntil(store.db, of, now)
  if (until === null || until === undefined || until <= now) return undefined
  return until === untilUnlocked ? 'unlocked' : until
}
