import { auditCall } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { lockMemberships } from './membership-lock.ts'
import { CallerGoneError, StoreUnavailableError } from '../../engine/base/store-errors.ts'
import {
  allSynchronizations,
  correctBeats,
  markApplied,
  synchronizationBringing,
  useTicket,
} from './synchronization-statements.ts'
import type { ClaimedSync, SynchronizationRow } from './synchronization-statements.ts'
import { claim, replaceHolder, secondsUntilAbandoned } from './synchronization-claim.ts'
import { finish, undo } from './synchronization-finish.ts'
import { stage } from './synchronization-stage.ts'
import type { Changes, SynchronizedRow } from './synchronization-stage.ts'

/**
 * Replaces the members of a domain by the rows: stages the changes invisibly in small steps, applies them in one transaction,
 * and cleans up in small steps. Before that transaction everything is old, after it everything is new.
 *
 * @returns false if a list that arrived later was already applied: the result is as if this one had been applied before it.
 */
export async function synchronizeMembers(ctx: ServiceContext, request: SynchronizationRequest): Promise<boolean> {
  const { organizationId, domainId } = request
  const claimed = await claim(ctx, { organizationId, domainId }, (abandoned) => recover(ctx, abandoned))
  const changes = await stageOrUndo(ctx, claimed, request)
  if (await apply(ctx, claimed, request, changes)) {
    await finish(ctx, claimed)
    return true
  }
  await undo(ctx, claimed)
  if (request.disconnected?.()) throw new CallerGoneError('The caller of the synchronization has disconnected.')
  if (request.expected !== undefined) throw new ApiProblem('api.error.precondition')
  return false
}

/** A synchronization request. */
export interface SynchronizationRequest {
  readonly organizationId: string
  readonly domainId: string
  readonly rows: readonly SynchronizedRow[]
  /** Whether members who are not in the rows stay. */
  readonly keepOthers?: boolean
  /** Called with the number of staged rows. */
  readonly progress?: (done: number) => void
  /** Drawn on arrival, before the body was read: an older list is never applied after a newer one. */
  readonly ticket: number
  /** The version that the caller wants to replace, if it named one. */
  readonly expected: number | undefined
  /** Whether the caller has disconnected. It may have retried since, on another node. */
  readonly disconnected?: (() => boolean) | undefined
}

/** @returns false if a newer list was applied before, or the caller has disconnected. */
async function apply(
  ctx: ServiceContext,
  claimed: ClaimedSync,
  request: SynchronizationRequest,
  changes: Changes,
): Promise<boolean> {
  if (request.disconnected?.()) return false
  return ctx.store.db.transaction().execute(async (db) => {
    await lockMemberships(db, claimed.organizationId)
    if (!(await useTicket(db, request))) return false
    if (!(await markApplied(db, claimed, ctx.clock.now()))) {
      throw new StoreUnavailableError('The synchronization was taken over by another process.')
    }
    if (changes.added + changes.changed + changes.removed === 0) return true
    const { domainId: domain, organizationId } = claimed
    await auditCall(db, { ...ctx, organizationId }, 'membership.synchronized', { domain, ...changes })
    return true
  })
}

async function stageOrUndo(
  ctx: ServiceContext,
  claimed: ClaimedSync,
  request: SynchronizationRequest,
): Promise<Changes> {
  try {
    return await stage(ctx, claimed, request)
  } catch (error) {
    // If undoing fails, the next synchronization or the sweep will do it.
    await undo(ctx, claimed).catch((reason: unknown) =>
      ctx.logger.warn({ err: reason }, 'synchronization could not be undone yet'),
    )
    throw error
  }
}

/** Completes or undoes synchronizations whose process has died. */
export async function recoverSynchronizations(ctx: ServiceContext): Promise<void> {
  await correctBeats(ctx.store.db, ctx.clock.now())
  const all = await allSynchronizations(ctx.store.db)
  for (const row of all.filter((candidate) => secondsUntilAbandoned(candidate, ctx.clock.now()) === 0))
    await recover(ctx, row)
}

/**
 * An abandoned synchronization may have staged a user who is invisible but blocks a name. Undoes it in this case.
 *
 * @returns whether the name may be free now.
 */
export async function releaseStagedUser(
  ctx: ServiceContext,
  user: { organizationId: string; username: string },
): Promise<boolean> {
  await correctBeats(ctx.store.db, ctx.clock.now())
  const row = await synchronizationBringing(ctx.store.db, user.organizationId, user.username)
  if (!row || secondsUntilAbandoned(row, ctx.clock.now()) > 0) return false
  await recover(ctx, row)
  return true
}

async function recover(ctx: ServiceContext, row: SynchronizationRow): Promise<void> {
  const claimed = await replaceHolder(ctx, row)
  if (!claimed) return
  if (row.appliedAt === null) await undo(ctx, claimed)
  else await finish(ctx, claimed)
}
