import type { Clock } from '../../../ground/clock.ts'
import { tooManyRequests } from '../../engine/base/problem.ts'
import type { Reached } from '../../engine/base/problem.ts'
import { networkOf } from '../../engine/base/network.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import { maxPendingPushes, networkWait, networkWindow, pushLimits } from './push-limits.ts'
import { forgetCounted, forgetScopes, noteAttempt, secondsUntilFree } from '../../engine/limits/attempts.ts'
import type { Limit } from '../../engine/limits/attempts.ts'
import type { Fact, Queryable } from '../../engine/database/schema/schema.ts'
import { askedFrom, pendingExpiries } from './statements.ts'

interface Context {
  readonly clock: Clock
  readonly limits: { readonly pushedUsersPerAddress: number }
}

/** The user who is asked, and the origin of the request. */
export interface PushOf {
  readonly domainId: string
  readonly userId: string
  /** Null if nothing shows that a password was entered first. */
  readonly challenge: string | null
  readonly ipAddress: string | null
  /** Whether it comes from a known browser of the user. Known browsers share separate limits. */
  readonly knownBrowser: Fact
}

/**
 * Counts a request against the limit of unapproved requests, in the transaction that stores it. Cancelling does not return it:
 * otherwise an attacker could send requests forever.
 *
 * @throws {ApiProblem} `api.error.toomanyrequests`
 */
export async function takePush(ctx: Context, db: Queryable, pushRequest: PushOf): Promise<void> {
  const limits = limitsOf(pushRequest)
  const reached = await reachedLimit(ctx, db, pushRequest, limits)
  if (reached.wait > 0) throw tooManyRequests(reached)
  await noteAttempt(db, limits, ctx.clock.now())
}

/** @returns the seconds until a request can be sent; 0 for now. */
export async function secondsUntilPush(ctx: Context, db: Queryable, pushRequest: PushOf): Promise<number> {
  return (await reachedLimit(ctx, db, pushRequest, limitsOf(pushRequest))).wait
}

/** @returns the limit that lasts longest; its wait is 0 if none is reached. */
async function reachedLimit(
  ctx: Context,
  db: Queryable,
  pushRequest: PushOf,
  limits: readonly PushLimit[],
): Promise<Reached> {
  const now = ctx.clock.now()
  // A known browser has its own limits, which others at the same address cannot use up.
  const network = pushRequest.knownBrowser === 1 ? null : limitedNetwork(pushRequest)
  const period = { domainId: pushRequest.domainId, since: now - networkWindow, until: latestBeginning(now) }
  const [reportWait, expiries, pushedUsers, limitWaits] = await Promise.all([
    secondsUntilFree(db, { scope: reported(pushRequest), ...pushLimits.afterReport }, now),
    pendingExpiries(db, pushRequest, now),
    network === null ? [] : askedFrom(db, { ...period, network }),
    Promise.all(limits.map((limit) => secondsUntilFree(db, limit, now))),
  ])
  const waits = [{ limit: 'the user has reported a request as not their own', wait: reportWait }]
  const [earliest] = expiries
  if (earliest !== undefined && expiries.length >= maxPendingPushes) {
    waits.push({ limit: `at most ${maxPendingPushes} pending requests for each user`, wait: earliest - now })
  }
  if (network !== null) {
    const max = ctx.limits.pushedUsersPerAddress
    const limit = `at most ${max} users from one ipAddress in 10 minutes while fewer than half of them approve`
    waits.push({ limit, wait: networkWait(pushedUsers, max, now) })
  }
  limits.forEach(({ words }, index) => waits.push({ limit: words, wait: limitWaits[index] ?? 0 }))
  const longest = Math.max(...waits.map(({ wait }) => wait))
  return { limit: '', wait: longest, now, ...waits.find(({ wait }) => wait === longest) }
}

interface PushLimit extends Limit {
  /** The wording for callers. */
  readonly words: string
}

/** The network whose requests are limited; null if not limited: after a password, a whole office may share an address. */
export function limitedNetwork({ challenge, ipAddress }: Pick<PushOf, 'challenge' | 'ipAddress'>): string | null {
  return challenge !== null || ipAddress === null ? null : networkOf(ipAddress)
}

/** An approval shows that the requests were wanted. */
export function forgetPushes(db: Queryable, pushRequest: PushOf): Promise<void> {
  const scopes = limitsOf(pushRequest).map(({ scope }) => scope)
  return forgetScopes(db, scopes)
}

/** Resets all limits of a user, for an administrator. @returns whether there was anything to reset. */
export function forgetAllPushes(
  db: Queryable,
  { domainId, userId }: Pick<PushOf, 'domainId' | 'userId'>,
): Promise<boolean> {
  const pushScope = { domainId, userId, challenge: null, ipAddress: null }
  const limits = ([0, 1] as const).flatMap((knownBrowser) => limitsOf({ ...pushScope, knownBrowser }))
  return forgetCounted(db, [...limits.map(({ scope }) => scope), reported(pushScope)])
}

/** Stops further requests for a while after "This was not me". */
export function pausePushes(
  ctx: Pick<Context, 'clock'>,
  db: Queryable,
  owner: Pick<PushOf, 'domainId' | 'userId'>,
): Promise<void> {
  return noteAttempt(db, [{ scope: reported(owner) }], ctx.clock.now())
}

function limitsOf(pushRequest: PushOf): readonly PushLimit[] {
  const key = `${pushRequest.knownBrowser === 1 ? 'known ' : ''}${pushRequest.domainId} ${pushRequest.userId}`
  return [
    { scope: `push 10m ${key}`, ...pushLimits.short, words: notApproved(pushLimits.short.limit, '10 minutes') },
    { scope: `push 24h ${key}`, ...pushLimits.long, words: notApproved(pushLimits.long.limit, '24 hours') },
  ]
}

const notApproved = (limit: number, time: string) => `at most ${limit} unapproved requests in ${time}`

const reported = ({ domainId, userId }: Pick<PushOf, 'domainId' | 'userId'>) => `push reported ${domainId} ${userId}`
