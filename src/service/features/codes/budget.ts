import { auditCall } from '../../engine/audit/audit.ts'
import type { AuditContext } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem, timeText } from '../../engine/base/problem.ts'
import { mailAfterCommit } from '../../engine/mail/mail-after-commit.ts'
import { challengeTriesKept, lockedUntil, maxWrongPerChallenge, triesLeft, untilUnlocked } from './lock.ts'
import type { Budget } from '../../../contract/known-browser.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { codeBudgets, endOfLock, forgetChallenge, takeChallengeTry } from './tries.ts'
import type { UserRow } from '../users/statements.ts'

type Context = Pick<ServiceContext, 'clock' | 'securityMails'> & AuditContext & { readonly organizationId: string }

interface Try {
  /** Read and locked in the transaction: no other one counts codes of the user until it ends. */
  readonly user: UserRow
  readonly domainId: string
  readonly budget: Budget
  /** Absent if the caller does not send challenges. */
  readonly challenge: string | undefined
}

/** The result of the check, or the number of attempts left if it is known. */
export type Tried<T> =
  | { readonly right: T }
  | { readonly right?: never; readonly tryState: Partial<ReturnType<typeof triesLeft>> }

/**
 * Checks a code within its budgets: 5 wrong codes per challenge, and 10 in a row per user, over all factors, challenges and
 * nodes. A user's known browsers share a separate budget of 10, which an attacker who only knows the password cannot spend.
 * While codes are locked, none is checked or used up. Runs in the caller's transaction: an answer is known when it has
 * committed, and the wrong code is counted then.
 *
 * @throws {ApiProblem} `api.error.locked`; `api.error.limit.codes` for the challenge alone.
 */
export async function withinBudget<T>(
  ctx: Context,
  db: Queryable,
  { user, domainId, budget, challenge }: Try,
  check: () => Promise<T | undefined>,
): Promise<Tried<T>> {
  const now = ctx.clock.now()
  const codes = codeBudgets[budget]
  const userId = user.id
  const end = endOfLock(codes.lockOf(user), now)
  if (end !== null && end > now) throw locked(end, now)
  const ofChallenge = challenge === undefined ? undefined : await takeOfChallenge(db, challenge, now)
  if (ofChallenge === 'none left') throw new ApiProblem('api.error.limit.codes')
  const right = await check()
  if (right === undefined) {
    const { failures } = await codes.countWrong(db, userId)
    const until = lockedUntil(failures, now)
    if (until !== undefined) {
      await codes.lock(db, userId, { from: until === untilUnlocked ? null : now, until })
      await auditCall(db, ctx, 'codes.locked', { user: userId, failures, until, budget })
      await mailLocked(db, ctx, { userId, domainId, until })
    }
    return { tryState: ofChallenge === undefined ? {} : triesLeft(failures, ofChallenge, now) }
  }
  await codes.forget(db, userId)
  if (challenge !== undefined) await forgetChallenge(db, challenge)
  return { right }
}

/** Runs once for each lock, because no codes are counted while codes are locked. */
function mailLocked(
  db: Queryable,
  ctx: Context,
  { until, ...member }: { readonly userId: string; readonly domainId: string; readonly until: number },
): Promise<void> {
  const end = until === untilUnlocked ? {} : { until }
  return mailAfterCommit(db, ctx, { kind: 'codes_locked', organizationId: ctx.organizationId, ...member, ...end })
}

/** @returns the number of wrong codes of the challenge if this one is wrong. */
async function takeOfChallenge(db: Queryable, challenge: string, now: number): Promise<number | 'none left'> {
  const row = { challenge, expiresAt: now + challengeTriesKept }
  return (await takeChallengeTry(db, row, maxWrongPerChallenge)) ?? 'none left'
}

/** @param until Unix time in seconds, like `now`. */
function locked(until: number, now: number): ApiProblem {
  const seconds = until - now
  const end = until === untilUnlocked ? 'Only an administrator unlocks them.' : `Try again ${timeText(now + seconds)}.`
  const message = `Too many wrong codes in a row: the codes of this user are locked. ${end}`
  return new ApiProblem('api.error.locked', message, { headers: { 'Retry-After': String(seconds) } })
}
