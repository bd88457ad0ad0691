import { audit } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { announceChange } from '../factors/announcements.ts'
import { forgetTypedCodes } from '../bypass-codes/typed-code.ts'
import { forgetAllPushes } from '../sessions/push-budget.ts'
import { untilUnlocked } from '../codes/lock.ts'
import { codeBudgets, codesLockedUntil } from '../codes/tries.ts'
import type { CodesOf } from '../codes/tries.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { userById } from '../users/statements.ts'
import type { Acting } from '../../engine/context/acting.ts'
import { takeLift } from './lift-budget.ts'

interface UserKey {
  readonly organizationId: string
  readonly userId: string
  /** The domains the user belongs to. */
  readonly domainIds: readonly string[]
}

/**
 * Clears the user's wrong codes, from known browsers, from elsewhere and with a typed username, and the requests that were not approved or were
 * reported, in every domain. Where there was anything to clear, it counts, and the user is told.
 *
 * @throws {ApiProblem} `api.error.toomanyrequests` for an administrator of the console, once it was done too often.
 */
export function unlockUser(ctx: Acting, user: UserKey): Promise<void> {
  return inTransaction(ctx.store.db, (db) => unlockInTransaction(db, ctx, user))
}

export async function unlockInTransaction(db: Queryable, ctx: Acting, user: UserKey): Promise<void> {
  const { organizationId, userId } = user
  if (await lift(db, user, ctx.clock.now())) {
    await takeLift(db, ctx, 'unlocked', userId)
    await announceChange(db, ctx, { kind: 'unlocked', organizationId, userId })
  }
  const facts = { user: userId }
  await audit(
    db,
    ctx,
    { event: 'codes.unlocked', organizationId, facts },
    { event: 'push.unlocked', organizationId, facts },
  )
}

/** @returns whether there was anything to lift. */
async function lift(db: Queryable, { organizationId, userId, domainIds }: UserKey, now: number): Promise<boolean> {
  const user = await userById(db, organizationId, userId)
  const hasTyped = await forgetTypedCodes(db, userId, now)
  let lifted = hasTyped || (user !== undefined && (user.codeFailures > 0 || user.knownCodeFailures > 0))
  for (const { forget } of Object.values(codeBudgets)) await forget(db, userId)
  for (const domainId of domainIds) lifted = (await forgetAllPushes(db, { domainId, userId })) || lifted
  return lifted
}

/**
 * Until when the user's codes are locked, Unix time in seconds; `unlocked` if only an administrator can unlock them;
 * undefined if they are not locked.
 */
export async function codesLocked(
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  owner: CodesOf,
): Promise<number | 'unlocked' | undefined> {
  const now = clock.now()
  const until = await codesLockedUntil(store.db, owner, now)
  if (until === null || until === undefined || until <= now) return undefined
  return until === untilUnlocked ? 'unlocked' : until
}
