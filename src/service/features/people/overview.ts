import type * as contract from '../../../admin-contract/overview.ts'
import { overviewDays } from '../../../admin-contract/overview-lists.ts'
import type { Health, SignInCount } from '../../../admin-contract/overview.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { knows, nodeTimeout } from '../../engine/secrets/live-nodes.ts'
import { countSignIns } from '../sessions/count-sign-ins.ts'
import { domainsOf } from '../domains/statements.ts'
import { nodesSeenSince } from '../../engine/secrets/key-nodes.ts'
import { membersOfSome } from '../../engine/audit/page-statements.ts'
import { lockedUsers, pendingByDomain, reportedByDomain } from './overview-statements.ts'
import { secondsOfADay, signInDaysOf } from '../sessions/sign-in-days.ts'
import { signedIn } from '../administrators/call.ts'
import { enrollments } from './enrollments.ts'
import { domainsFor } from '../administrators/scope.ts'

/** How long a request waits for the sign-ins to be counted, milliseconds. Later ones count the rest. */
const countTimeout = 100

export const get: Handler<typeof contract.getOverview> = async ({ domain }, call) => {
  const { organizationId, domainIds } = signedIn(call)
  const { db } = call.store
  const now = call.clock.now()
  const limited = await domainsFor(call, domain)
  const domains = (await domainsOf(db, organizationId)).filter(({ id }) => limited === null || limited.includes(id))
  const isShown = ({ domainId }: { readonly domainId: string }) => domains.some(({ id }) => id === domainId)
  return {
    ...(await enrollments(call, domains)),
    signIns: await signInsOf(
      call,
      domains.map(({ id }) => id),
    ),
    locked: await countLocked(call, limited),
    waiting: sum((await pendingByDomain(db, now)).filter(isShown)),
    reported: sum((await reportedByDomain(db, now - secondsOfADay)).filter(isShown)),
    ...(domainIds === null && { health: await healthOf(call) }),
  }
}

const sum = (rows: readonly { readonly count: number | string }[]): number =>
  rows.reduce((total, { count }) => total + Number(count), 0)

/** The sign-ins of all these domains together, by day. */
async function signInsOf(call: Call, domainIds: readonly string[]): Promise<SignInCount[]> {
  await countSignIns(call, AbortSignal.timeout(countTimeout))
  const today = Math.floor(call.clock.now() / secondsOfADay)
  const rows = await signInDaysOf(call.store.db, domainIds, today - overviewDays + 1)
  const groups = Map.groupBy(rows, ({ day, outcome, factor }) => [day, outcome, factor].join())
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { day, outcome, factor } = first
    return [{ day: day * secondsOfADay, outcome, ...(factor !== '' && { factor }), count: sum(group) }]
  })
}

async function countLocked(call: Call, domainIds: readonly string[] | null): Promise<number> {
  const locked = await lockedUsers(call.store.db, signedIn(call).organizationId, call.clock.now())
  if (domainIds === null) return locked.length
  return (await membersOfSome(call.store.db, locked, domainIds)).length
}

async function healthOf({ store, clock, keys, senders, pusher }: Call): Promise<Health> {
  const nodes = await nodesSeenSince(store.db, clock.now() - nodeTimeout)
  const { id } = keys.writing()
  return {
    nodes: nodes.map(({ name, seenAt }) => ({ name, seenAt })),
    keysAgree: nodes.every((node) => knows(node, id)),
    mail: senders.email !== undefined,
    push: pusher !== undefined,
  }
}
