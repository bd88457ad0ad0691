import type { AccessChangeKind } from '../../../contract/device-answers.ts'
import type { AdminRole } from '../../../contract/roles.ts'
import { tooManyRequests } from '../../engine/base/problem.ts'
import { liftLimits, liftWindow } from './rules.ts'
import { noteAttempt, secondsUntilFree, takeAttempt } from '../../engine/limits/attempts.ts'
import type { Limit } from '../../engine/limits/attempts.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { Acting } from '../../engine/context/acting.ts'

const limitOf = (kind: AccessChangeKind, userId: string, role: AdminRole): Limit => ({
  scope: `${kind} ${userId}`,
  limit: liftLimits[role],
  window: liftWindow,
})

/**
 * Counts that limits of a person are lifted, or its sessions ended, in the transaction that does so and has locked the user.
 * The count belongs to the person, so several employees of a help desk can lift no more than one. The command line counts and has
 * no limit, because the machine's access control decides.
 *
 * @throws {ApiProblem} `api.error.toomanyrequests`
 */
export async function takeLift(
  db: Queryable,
  { clock, console }: Acting,
  kind: AccessChangeKind,
  userId: string,
): Promise<void> {
  const now = clock.now()
  const role = console?.administrator?.role
  const limit = limitOf(kind, userId, role ?? 'owner')
  if (role === undefined) return noteAttempt(db, [limit], now)
  const wait = await takeAttempt(db, [limit], now)
  const words = `at most ${limit.limit} times in 24 hours for a person by the role ${role}`
  if (wait > 0) throw tooManyRequests({ limit: words, wait, now })
}

/** Whether limits of a person can be lifted again. */
export const canUnlock = async (db: Queryable, role: AdminRole, userId: string, now: number): Promise<boolean> =>
  (await secondsUntilFree(db, limitOf('unlocked', userId, role), now)) === 0
