import type * as contract from '../../../admin-contract/timeline.ts'
import { timelinePage } from '../../../admin-contract/timeline.ts'
import type { AuditItem } from '../../../admin-contract/audit.ts'
import type { PersonSignIn, TimelineEntry } from '../../../admin-contract/timeline.ts'
import { itemOf } from '../../engine/audit/item.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { countSignIns } from '../sessions/count-sign-ins.ts'
import type { AuditRow } from '../../engine/audit/statements.ts'
import type { EndOfSignIn } from '../../engine/audit/timeline-events.ts'
import { answersByIds, sessionsByIds, timelinePages } from './timeline-statements.ts'
import { visibleTo } from '../administrators/call.ts'
import { namesIn } from '../administrators/names.ts'
import { originView, waitingSignIns } from './sign-in-view.ts'

/** How long a request waits until the newest entries are in the timeline, milliseconds. Later ones show the rest. */
const countTimeout = 100

export const list: Handler<typeof contract.listPersonTimeline> = async ({ userId, kind, before }, call) => {
  const { domainIds } = visibleTo(call)
  if (before === undefined) await countSignIns(call, AbortSignal.timeout(countTimeout))
  const scope = { userId, domainIds: domainIds ?? [], everyone: domainIds === null ? 1 : 0 } as const
  const page = { before: Number(before ?? Number.MAX_SAFE_INTEGER), limit: timelinePage + 1 }
  const rows = await timelinePages[kind ?? 'all'](call.store.db, { ...scope, ...page })
  const pageRows = rows.slice(0, timelinePage)
  const entries = await withSignIns(call, userId, pageRows)
  const waiting = before === undefined && kind !== 'changes' ? await waitingSignIns(call, scope) : []
  return {
    waiting,
    entries,
    names: await namesIn(call, [...waiting.map(({ domain }) => domain), ...entries.flatMap(idsOf)]),
    ...(rows.length > timelinePage && { next: String(pageRows.at(-1)?.position) }),
  }
}

const idsOf = ({ actor, facts }: TimelineEntry): string[] =>
  [actor.id, facts['domain'], facts['administrator']].filter((id) => typeof id === 'string' && id !== '') as string[]

async function withSignIns(call: Call, userId: string, rows: readonly AuditRow[]): Promise<TimelineEntry[]> {
  const items = rows.map((row) => itemOf(row))
  const origins = await originsOf(
    call,
    userId,
    items.filter(({ event }) => isSignIn(event)),
  )
  return items.map((item) => {
    const { position, at, event, actor, facts } = item
    const entry = { position, at, event, actor: shownActor(actor), facts: shownFacts(facts) }
    return isSignIn(event) ? { ...entry, signIn: signInOf(item, event, origins.get(String(facts['session']))) } : entry
  })
}

const states = {
  'session.approved': 'approved',
  'session.denied': 'denied',
  'session.expired': 'expired',
  'session.cancelled': 'cancelled',
} as const satisfies Record<EndOfSignIn, PersonSignIn['state']>

const isSignIn = (event: string): event is keyof typeof states => Object.hasOwn(states, event)

type Origin = Awaited<ReturnType<typeof answersByIds>>[number]

/** The origins of sign-ins, by their ids. A session says more than the answer of a device to it, so it counts. */
async function originsOf(
  call: Call,
  userId: string,
  items: readonly AuditItem[],
): Promise<ReadonlyMap<string, Origin>> {
  const { db } = call.store
  const textsOf = (name: string) => items.flatMap(({ facts }) => (facts[name] ? [String(facts[name])] : []))
  const answers = await answersByIds(db, textsOf('session'), textsOf('device'))
  const sessions = await sessionsByIds(db, textsOf('session'), userId)
  return new Map([...answers, ...sessions].map((origin) => [origin.id, origin]))
}

/** The facts of the end of a sign-in. */
type EndedFacts = { readonly session: string; readonly domain: string } & {
  readonly [name in 'factor' | 'reason']?: PersonSignIn[name] | null
}

function signInOf({ at, facts }: AuditItem, event: keyof typeof states, origin: Origin | undefined) {
  const { session, domain, factor, reason } = facts as unknown as EndedFacts
  return {
    id: session,
    domain,
    state: states[event],
    ...(factor && { factor }),
    ...(reason && { reason }),
    ...(origin ? originView(origin) : { attributes: [] }),
    at: origin?.createdAt ?? at,
  }
}

/** Ids of API keys and devices would say nothing to people, and are not theirs to know. */
const shownActor = ({ kind, id }: TimelineEntry['actor']): TimelineEntry['actor'] => ({
  kind,
  id: kind === 'administrator' ? id : '',
})

/** The facts that say what happened; ids of sessions, devices and factors do not. */
const plainFacts = ['domain', 'factor', 'reason', 'because', 'fields', 'count', 'uses', 'until', 'administrator']

const shownFacts = (facts: TimelineEntry['facts']): TimelineEntry['facts'] =>
  Object.fromEntries(Object.entries(facts).filter(([name]) => plainFacts.includes(name)))
