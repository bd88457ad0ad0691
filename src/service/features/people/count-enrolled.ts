import { inSteps } from '../../engine/base/in-steps.ts'
import { countMembers, domainsToCount, enrollmentStep, noteEnrollment } from './overview-statements.ts'
import type { EnrollmentRow } from './overview-statements.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'

/** How old a count may be before a sweep counts again, seconds. 100,000 members take 0.7 s in steps of 15 ms. */
const countInterval = 15 * 60
/** The most steps of one sweep: 200,000 members, who take PostgreSQL a few seconds. */
const stepsPerSweep = 100

/** A domain that is being counted, and the last member counted. */
interface Progress {
  readonly row: EnrollmentRow
  readonly after: string
}

/** Counts who is enrolled in each domain; the next call goes on where the last one stopped. */
export type CountEnrolled = (signal?: AbortSignal) => Promise<void>

/**
 * Counting 100,000 members on request would block other requests for 0.7 s, so sweeps count, and those of a million in parts.
 */
export function createEnrollmentCount(
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  maxSteps = stepsPerSweep,
): CountEnrolled {
  const progressOf = new Map<string, Progress>()

  return async (signal) => {
    let stepsLeft = maxSteps
    const domains = await domainsToCount(store.db, clock.now() - countInterval)
    // What another process has counted meanwhile begins anew.
    for (const id of progressOf.keys()) if (!domains.some((domain) => domain.id === id)) progressOf.delete(id)
    for (const domain of domains.toSorted(byAge)) {
      const isDone = await countDomain(domain)
      if (!isDone) return
    }

    /** @returns whether all members are counted. */
    async function countDomain(domain: (typeof domains)[number]): Promise<boolean> {
      const { id } = domain
      const start = { domainId: id, members: 0, enrolled: 0, onlyEmail: 0, countedAt: clock.now() }
      let { row, after } = progressOf.get(id) ?? { row: start, after: '' }
      let isComplete = false
      await inSteps({ size: enrollmentStep, signal }, async () => {
        if (stepsLeft === 0) return 0
        stepsLeft -= 1
        const { members, enrolled, reachable, last } = await countMembers(store.db, domain, after)
        row = {
          ...row,
          members: row.members + Number(members),
          enrolled: row.enrolled + Number(enrolled ?? 0),
          onlyEmail: row.onlyEmail + Number(reachable ?? 0),
        }
        after = last ?? after
        isComplete = Number(members) < enrollmentStep
        return Number(members)
      })
      if (isComplete) {
        progressOf.delete(id)
        await noteEnrollment(store.db, row)
      } else {
        progressOf.set(id, { row, after })
      }
      return isComplete
    }
  }
}

interface Counted {
  readonly countedAt: number | null
}

/** Those that were never counted come first, and then the oldest counts, so that a large domain does not keep others waiting. */
const byAge = (one: Counted, other: Counted): number => (one.countedAt ?? 0) - (other.countedAt ?? 0)
