import { adminOperations } from '../../contract/admin/operations.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { audit } from '../audit/audit.ts'
import type { SignedIn } from '../context/caller.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { ApiProblem } from '../ground/problem.ts'
import { givenConsent, useConsent } from '../store/consents.ts'
import { isCallerVerified } from '../store/caller-verifications.ts'
import { isStanding } from './standing-consent.ts'

const names = new Map(adminOperations.map(({ endpoint, name }) => [endpoint, name]))

/**
 * What the help desk needs for a guarded action: a caller whom it has verified, or a consent, which is used up.
 *
 * @throws {ApiProblem} `api.error.forbidden.guarded`
 */
export async function requireVerifiedOrConsent(
  ctx: ServiceContext,
  administrator: SignedIn,
  endpoint: Endpoint,
  userId: string,
): Promise<void> {
  const of = { administratorId: administrator.id, userId }
  if (await isCallerVerified(ctx.store.db, of, ctx.clock.now())) return
  await requireConsent(ctx, administrator, endpoint, userId)
}

/**
 * Uses up the consent that the help desk needs for an action: of another administrator, for this operation and this person.
 * The action may still fail; then it needs another consent, because nothing says how far it went.
 *
 * @throws {ApiProblem} `api.error.forbidden.guarded`
 */
async function requireConsent(
  ctx: ServiceContext,
  { id: requestedBy, organizationId }: SignedIn,
  endpoint: Endpoint,
  userId: string,
): Promise<void> {
  const operation = names.get(endpoint) ?? ''
  const now = ctx.clock.now()
  const used = await ctx.store.db.transaction().execute(async (db) => {
    const consent = await givenConsent(db, { userId, requestedBy }, now)
    if (consent?.operation !== operation || !(await isStanding(db, consent, now))) return false
    if (!(await useConsent(db, consent.id, consent.digest))) return false
    const actor = { kind: 'administrator', id: requestedBy } as const
    const facts = { consent: consent.id, user: userId, operation }
    await audit(db, ctx, { event: 'consent.used', organizationId, actor, facts })
    return true
  })
  if (!used) throw new ApiProblem('api.error.forbidden.guarded')
}
