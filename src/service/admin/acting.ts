import type { ConsoleCall } from '../context/caller.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { ApiProblem } from '../ground/problem.ts'
import { hasSameAccess } from '../rules/console-role.ts'
import type { Queryable } from '../store/schema.ts'
import { presentAdministrator } from './present-administrator.ts'

/** The service as an administrator uses it, in the console or at the command line. */
export interface Acting extends ServiceContext {
  /** Absent at the command line, where the machine's access control decides. */
  readonly console?: ConsoleCall
}

/**
 * Checks in the transaction of a change that the administrator still has the access that the request began with. Otherwise two
 * owners could revoke each other at once, and leave no owner. An owner cannot revoke itself, so the console always leaves one; the
 * command line can revoke the last one, because it can invite the next.
 */
export async function requireStillAllowed(db: Queryable, { console }: Acting): Promise<void> {
  const administrator = console?.administrator
  if (!administrator) return
  const present = await presentAdministrator(db, administrator.id)
  if (present && hasSameAccess(present, administrator)) return
  throw new ApiProblem('api.error.unauthorized', 'Your access has changed. Sign in to the console again.')
}
