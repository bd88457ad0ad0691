import type { Endpoint } from '../../../contract/endpoint.ts'
import { mayCall } from '../../../contract/roles.ts'
import type { SignedIn } from '../../engine/context/caller.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { isFresh } from './rules.ts'
import { isHelpDeskBlocked } from './caller-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { notSignedIn } from './call.ts'
import { isOwnRecord } from './own-record.ts'
import { requireEveryDomain, requireVisible, requireWholeOrganization } from './scope.ts'

/**
 * The one place that decides whether an administrator may call an operation: by its role, by the ids in the path, by whom it is
 * about, by how long ago a passkey was used, and by an answer of No to the help desk. It runs when the head of a request has
 * arrived, and again in the transaction of a change.
 */
export async function authorizeAdministrator(
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  administrator: SignedIn | undefined,
  endpoint: Endpoint,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  const { method, path, admin } = endpoint
  if (!admin) throw new Error(`${method} ${path} does not declare who may call it.`)
  if (admin.role === 'none') return
  if (!administrator) throw notSignedIn()
  if (!mayCall(administrator.role, { method, admin })) throw new ApiProblem('api.error.forbidden')
  if (admin.whole && administrator.domainIds !== null) throw new ApiProblem('api.error.forbidden')
  const now = clock.now()
  const scope = { db: store.db, administrator, now }
  await requireVisible(scope, admin.scope, params)
  if (method !== 'GET' && isOwnRecord(administrator, params)) throw new ApiProblem('api.error.forbidden.own')
  const { userId = '' } = params
  if (admin.everywhere) await (userId === '' ? requireWholeOrganization(scope) : requireEveryDomain(scope, userId))
  if (method !== 'GET' && administrator.role === 'helpdesk') await rejectBlocked(store.db, userId, now)
  if (admin.fresh && !isFresh(administrator.session, now)) throw new ApiProblem('api.error.forbidden.fresh')
}

/** After a No to a question of the help desk, an attacker may be the one who called: only other roles act on this person. */
async function rejectBlocked(db: Queryable, userId: string, now: number): Promise<void> {
  if (userId === '' || !(await isHelpDeskBlocked(db, userId, now))) return
  throw new ApiProblem('api.error.forbidden.blocked')
}
