import { adminOperations } from '../../contract/admin/operations.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { audit } from '../audit/audit.ts'
import type { SignedIn } from '../context/caller.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { ApiProblem } from '../ground/problem.ts'
import { approvedAction, useApproval } from '../store/approvals.ts'
import { isCallerVerified } from '../store/caller-verifications.ts'

const names = new Map(adminOperations.map(({ endpoint, name }) => [endpoint, name]))

/** Operations that the help desk does only with an approval. */
export const guardedOperations: readonly string[] = adminOperations.flatMap(({ endpoint, name }) =>
  endpoint.admin?.guarded ? [name] : [],
)

/**
 * What the help desk needs for a guarded action: a caller whom it has verified, or an approval, which is used up.
 *
 * @throws {ApiProblem} `api.error.forbidden.guarded`
 */
export async function requireVerifiedOrApproved(
  ctx: ServiceContext,
  administrator: SignedIn,
  endpoint: Endpoint,
  userId: string,
): Promise<void> {
  const of = { administratorId: administrator.id, userId }
  if (await isCallerVerified(ctx.store.db, of, ctx.clock.now())) return
  await requireApproval(ctx, administrator, endpoint, userId)
}

/**
 * Uses up the approval that the help desk needs for an action: of another administrator, for this operation and this person.
 * The action may still fail; then it needs another approval, because nothing says how far it went.
 *
 * @throws {ApiProblem} `api.error.forbidden.guarded`
 */
async function requireApproval(
  ctx: ServiceContext,
  { id: requestedBy, organizationId }: SignedIn,
  endpoint: Endpoint,
  userId: string,
): Promise<void> {
  const operation = names.get(endpoint) ?? ''
  const approval = await approvedAction(ctx.store.db, { operation, userId, requestedBy }, ctx.clock.now())
  const used =
    approval !== undefined &&
    (await ctx.store.db.transaction().execute(async (db) => {
      if (!(await useApproval(db, approval))) return false
      const actor = { kind: 'administrator', id: requestedBy } as const
      const facts = { approval, user: userId, operation }
      await audit(db, ctx, { event: 'approval.used', organizationId, actor, facts })
      return true
    }))
  if (!used) throw new ApiProblem('api.error.forbidden.guarded')
}
