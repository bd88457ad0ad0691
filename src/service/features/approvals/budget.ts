import { tooManyRequests } from '../../engine/base/problem.ts'
import type { Call } from '../../engine/http/route.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { forgetScopes, noteAttempt, secondsUntilFree } from '../../engine/limits/attempts.ts'
import type { Limit } from '../../engine/limits/attempts.ts'
import { waitingRequesters } from './approver-statements.ts'
import { approvalLimits, isOwn, maxWaiting } from './rules.ts'

interface Asking {
  readonly domainId: string
  readonly userIds: readonly string[]
  readonly apiKeyId: string
  /** See `requesterKey`. */
  readonly requester: string
}

/**
 * Counts a request, in the transaction that stores it and has locked the people. Each person has limits of their own, so a requester who
 * has used up those of one person can still ask another; a requester and an API key have theirs over all people. What a person asks for
 * themselves is counted apart from what others ask: nobody else can keep a person from their own actions, nor hide a request behind them.
 *
 * @throws {ApiProblem} `api.error.toomanyrequests`
 */
export async function takeApproval(call: Call, db: Queryable, asking: Asking): Promise<void> {
  const now = call.clock.now()
  const limits = limitsOf(asking)
  for (const userId of asking.userIds) {
    const requesters = await waitingRequesters(db, { domainId: asking.domainId, userId }, now)
    const alike = requesters.filter((requester) => isOwn(requester) === isOwn(asking.requester))
    if (alike.length >= maxWaiting) throw tooManyRequests({ limit: waitingWords, wait: pauseForWaiting, now })
  }
  for (const limit of limits) {
    const wait = await secondsUntilFree(db, limit, now)
    if (wait > 0) throw tooManyRequests({ limit: limit.words, wait, now })
  }
  await noteAttempt(db, limits, now)
}

const waitingWords = `at most ${maxWaiting} approvals that a person asked for, and ${maxWaiting} that others asked for, wait for that person`
/** The requests may be answered at any moment; seconds. */
const pauseForWaiting = 10

interface ApprovalLimit extends Limit {
  /** The wording for callers. */
  readonly words: string
}

function limitsOf({ domainId, userIds, apiKeyId, requester }: Asking): readonly ApprovalLimit[] {
  const { requester: requesterLimit, apiKey } = approvalLimits
  const ofPeople = userIds.flatMap((userId) => personLimits({ domainId, userId, requester }))
  return [
    ...ofPeople,
    // A person who asks themselves has used up their own limit.
    ...(isOwn(requester)
      ? []
      : [
          {
            scope: `approval by ${apiKeyId} ${domainId} ${requester}`,
            ...requesterLimit,
            words: `at most ${requesterLimit.limit} approvals of a requester in an hour`,
          },
        ]),
    {
      scope: `approval key ${apiKeyId} ${domainId}`,
      ...apiKey,
      words: `at most ${apiKey.limit} approvals of an API key in 10 minutes`,
    },
  ]
}

interface Asked {
  readonly domainId: string
  readonly userId: string
  readonly requester: string
}

function personLimits({ domainId, userId, requester }: Asked): readonly ApprovalLimit[] {
  const { short, long } = approvalLimits
  const whose = isOwn(requester) ? 'own' : 'others'
  return [
    {
      scope: `approval 10m ${whose} ${domainId} ${userId}`,
      ...short,
      words: `at most ${short.limit} unapproved requests to a person in 10 minutes`,
    },
    {
      scope: `approval 24h ${whose} ${domainId} ${userId}`,
      ...long,
      words: `at most ${long.limit} unapproved requests to a person in 24 hours`,
    },
  ]
}

/** An approval shows that the person wanted to be asked, by themselves or by others. */
export function forgetAsked(
  db: Queryable,
  { domainId, requester }: Pick<Asked, 'domainId' | 'requester'>,
  userId: string,
): Promise<void> {
  return forgetScopes(
    db,
    personLimits({ domainId, userId, requester }).map(({ scope }) => scope),
  )
}
