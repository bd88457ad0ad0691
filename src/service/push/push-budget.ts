import type { ServiceContext } from '../context.ts'
import { tooManyRequests } from '../problem.ts'
import { networkOf } from '../rules/network.ts'
import { mostPendingPushes, pushLimits } from '../rules/push-limits.ts'
import { forgetScopes, noteAttempt, secondsUntilFree, takeAttempt } from '../store/attempts.ts'
import type { Queryable } from '../store/schema.ts'
import { pendingExpiries } from '../store/sessions.ts'

type Context = Pick<ServiceContext, 'clock'>

/** Whose device is asked, and by whom. */
export interface PushOf {
  readonly domainId: string
  readonly userId: string
  /** Absent where nothing says that a password came first. */
  readonly challenge: string | null
  readonly ipAddress: string | null
}

/**
 * Takes one of the requests a person may be sent without approving. Cancelling gives none back: otherwise whoever asks
 * could ask for ever. In the transaction that stores the request.
 *
 * @throws {ApiProblem} `api.error.toomanyrequests`
 */
export async function takePush(ctx: Context, db: Queryable, of: PushOf): Promise<void> {
  const now = ctx.clock.now()
  const paused = await secondsUntilFree(db, { scope: reported(of), ...pushLimits.afterReport }, now)
  if (paused > 0) throw tooManyRequests(paused)
  const expiries = await pendingExpiries(db, of, now)
  const [earliest] = expiries
  if (earliest !== undefined && expiries.length >= mostPendingPushes) throw tooManyRequests(earliest - now)
  const wait = await takeAttempt(db, limitsOf(of), now)
  if (wait > 0) throw tooManyRequests(wait)
}

/** An approval says that the requests were wanted. */
export function forgetPushes(db: Queryable, of: PushOf): Promise<void> {
  return forgetScopes(
    db,
    limitsOf(of).map(({ scope }) => scope),
  )
}

/** What an administrator does: as if nobody had been asked, nor had reported it. */
export function forgetAllPushes(
  db: Queryable,
  { domainId, userId }: Pick<PushOf, 'domainId' | 'userId'>,
): Promise<void> {
  const of = { domainId, userId, challenge: null, ipAddress: null }
  return forgetScopes(db, [...limitsOf(of).map(({ scope }) => scope), reported(of)])
}

/** "This was not me": no further request for a while. */
export function pausePushes(ctx: Context, db: Queryable, of: PushOf): Promise<void> {
  return noteAttempt(db, reported(of), ctx.clock.now())
}

function limitsOf(of: PushOf) {
  const whose = `${of.domainId} ${of.userId}`
  const limits = [
    { scope: `push 10m ${whose}`, ...pushLimits.short },
    { scope: `push 24h ${whose}`, ...pushLimits.long },
  ]
  if (of.challenge !== null || of.ipAddress === null) return limits
  return [...limits, { scope: `push from ${of.domainId} ${networkOf(of.ipAddress)}`, ...pushLimits.perAddress }]
}

const reported = ({ domainId, userId }: PushOf) => `push reported ${domainId} ${userId}`
