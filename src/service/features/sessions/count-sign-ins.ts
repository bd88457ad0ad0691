import type { Factor } from '../../../contract/factor.ts'
import { inSteps } from '../../engine/base/in-steps.ts'
import { auditRowsOf, auditWriterById } from '../../engine/audit/statements.ts'
import type { AuditRow } from '../../engine/audit/statements.ts'
import { noteSignIn } from './last-sign-ins.ts'
import type { SignInOutcome } from '../../engine/database/schema/schema.ts'
import { addSignIns, moveCounted, secondsOfADay, writersToCount } from './sign-in-days.ts'
import type { SignInDayRow } from './sign-in-days.ts'
import type { Store } from '../../engine/database/store.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import type { EndOfSignIn } from '../../engine/audit/timeline-events.ts'
import { addToTimeline } from '../../engine/audit/timeline.ts'

/** The most entries that one transaction counts. */
const countStep = 250

/**
 * Counts the outcomes that the audit trail has recorded since the last count, notes when users signed in last, and adds to their
 * timelines. A sign-in itself does none of it: all sign-ins of a domain would wait for one row, and an index by person is slow
 * to write.
 */
export async function countSignIns({ store }: { readonly store: Store }, signal?: AbortSignal): Promise<void> {
  for (const writer of await writersToCount(store.db)) {
    if (signal?.aborted === true) return
    await inSteps({ size: countStep, signal }, () => countSome(store, writer))
  }
}

function countSome({ db: database }: Store, writer: string): Promise<number> {
  return readCommitted(database).execute(async (db) => {
    const chain = await auditWriterById(db, writer)
    if (!chain) return 0
    const rows = await auditRowsOf(db, writer, chain.countedSequence, countStep)
    const last = rows.at(-1)
    if (!last || !(await moveCounted(db, writer, chain.countedSequence, last.sequence))) return 0
    for (const dayCount of countByDay(rows)) await addSignIns(db, dayCount)
    for (const [userId, at] of lastByUser(rows)) await noteSignIn(db, userId, at)
    await addToTimeline(db, { writer, after: chain.countedSequence, through: last.sequence })
    return rows.length
  })
}

function countByDay(rows: readonly AuditRow[]): Iterable<SignInDayRow> {
  const days = new Map<string, SignInDayRow>()
  for (const row of rows) {
    const day = dayOf(row)
    if (!day) continue
    const key = Object.values(day).join()
    days.set(key, { ...day, count: (days.get(key)?.count ?? 0) + 1 })
  }
  return days.values()
}

function lastByUser(rows: readonly AuditRow[]): Iterable<[userId: string, at: number]> {
  const last = new Map<string, number>()
  for (const { at, event, facts } of rows) {
    if (event !== 'session.approved') continue
    const { user } = JSON.parse(facts) as { readonly user: string }
    last.set(user, Math.max(at, last.get(user) ?? 0))
  }
  // All nodes use the same order, so that two nodes do not wait for each other.
  return [...last].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** @returns undefined for an entry that is not the end of a sign-in. */
function dayOf({ at, event, facts }: AuditRow): Omit<SignInDayRow, 'count'> | undefined {
  if (!isEnd(event)) return undefined
  const { domain, factor, reason } = JSON.parse(facts) as Ended
  const day = Math.floor(at / secondsOfADay)
  const outcome = reason === 'reported' ? reason : outcomes[event]
  return { domainId: domain, day, outcome, factor: factor ?? '' }
}

/** The facts of such an entry. */
interface Ended {
  readonly domain: string
  readonly factor?: Factor | null
  readonly reason?: string | null
}

const outcomes = {
  'session.approved': 'approved',
  'session.denied': 'denied',
  'session.expired': 'expired',
  'session.cancelled': 'cancelled',
} as const satisfies Record<EndOfSignIn, SignInOutcome>

const isEnd = (event: string): event is keyof typeof outcomes => Object.hasOwn(outcomes, event)
