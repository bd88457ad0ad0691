import { inSteps } from '../../engine/base/in-steps.ts'
import { countMembers, domainsToCount, enrollmentStep, noteEnrollment } from './overview-statements.ts'
import type { EnrollmentRow } from './overview-statements.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'

/** How old a count may be before a sweep counts again, seconds. 100,000 members take 0.7 s in steps of 15 ms. */
const countInterval = 15 * 60

/**
 * Counts who is enrolled in each domain. Counted when it is asked for, a domain of 100,000 members would hold up all other
 * requests for 0.7 s.
 */
export async function countEnrolled(
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  for (const { id, emailOtpEnabled } of await domainsToCount(store.db, clock.now() - countInterval)) {
    let row: EnrollmentRow = { domainId: id, members: 0, enrolled: 0, onlyEmail: 0, countedAt: clock.now() }
    let after = ''
    await inSteps({ size: enrollmentStep, signal }, async () => {
      const { members, enrolled, mailed, last } = await countMembers(store.db, id, after)
      row = {
        ...row,
        members: row.members + Number(members),
        enrolled: row.enrolled + Number(enrolled ?? 0),
        onlyEmail: row.onlyEmail + (emailOtpEnabled === 1 ? Number(mailed ?? 0) : 0),
      }
      after = last ?? after
      return Number(members)
    })
    if (signal?.aborted) return
    await noteEnrollment(store.db, row)
  }
}
