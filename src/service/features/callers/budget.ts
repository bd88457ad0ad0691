import type { Clock } from '../../../ground/clock.ts'
import { tooManyRequests } from '../../engine/base/problem.ts'
import { callLimits } from './rules.ts'
import { noteAttempt, secondsUntilFree } from '../../engine/limits/attempts.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

/** The user who is asked, and the administrator who asks. */
interface Asking {
  readonly userId: string
  readonly administratorId: string
}

/**
 * Counts a question of the help desk, in the transaction that stores it. These limits have nothing to do with those of
 * sign-ins: neither uses up the other.
 *
 * @throws {ApiProblem} `api.error.toomanyrequests`
 */
export async function takeCall(
  { clock }: { readonly clock: Clock },
  db: Queryable,
  { userId, administratorId }: Asking,
): Promise<void> {
  const now = clock.now()
  const { short, long, administrator } = callLimits
  const limits = [
    { scope: `caller 10m ${userId}`, ...short, words: `at most ${short.limit} questions to a person in 10 minutes` },
    { scope: `caller 24h ${userId}`, ...long, words: `at most ${long.limit} questions to a person in 24 hours` },
    {
      scope: `caller by ${administratorId}`,
      ...administrator,
      words: `at most ${administrator.limit} questions of an administrator in 24 hours`,
    },
  ]
  for (const limit of limits) {
    const wait = await secondsUntilFree(db, limit, now)
    if (wait > 0) throw tooManyRequests({ limit: limit.words, wait, now })
  }
  await noteAttempt(db, limits, now)
}
