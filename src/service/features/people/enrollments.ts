import type { DomainEnrollment } from '../../../admin-contract/overview.ts'
import type { Call } from '../../engine/http/route.ts'
import type { DomainRow } from '../domains/statements.ts'
import { countMembers, enrollmentsOf, enrollmentStep } from './overview-statements.ts'
import type { EnrollmentRow } from './overview-statements.ts'

/** How many domains one request counts; more show what the last sweep has counted. */
const maxCounted = 10

/** The number of enrolled people: counted now for small domains, and by the last sweep for the others. */
export async function enrollments(
  call: Call,
  domains: readonly DomainRow[],
): Promise<{ domains: DomainEnrollment[]; uncounted: string[] }> {
  const { db } = call.store
  const ids = domains.map(({ id }) => id)
  const stored = new Map((await enrollmentsOf(db, ids)).map((row) => [row.domainId, row]))
  const isSmall = ({ id }: DomainRow) => (stored.get(id)?.members ?? 0) < enrollmentStep
  const countedById = new Map<string, DomainEnrollment>()
  for (const domain of domains.filter(isSmall).slice(0, maxCounted)) {
    const row = await countNow(call, domain)
    if (row) countedById.set(domain.id, row)
  }
  const rows = domains.map((domain) => countedById.get(domain.id) ?? storedView(domain, stored.get(domain.id)))
  return {
    domains: rows.filter((row) => row !== undefined),
    uncounted: ids.filter((id) => !countedById.has(id) && !stored.has(id)),
  }
}

function storedView({ name }: DomainRow, row: EnrollmentRow | undefined): DomainEnrollment | undefined {
  if (!row) return undefined
  const { domainId: domain, members, enrolled, onlyEmail, countedAt } = row
  return { domain, name, members, enrolled, onlyEmail, countedAt }
}

/** @returns undefined for a large domain. */
async function countNow({ store, clock }: Call, domain: DomainRow) {
  const { members, enrolled, reachable } = await countMembers(store.db, domain, '')
  if (Number(members) >= enrollmentStep) return undefined
  return {
    domain: domain.id,
    name: domain.name,
    members: Number(members),
    enrolled: Number(enrolled ?? 0),
    onlyEmail: Number(reachable ?? 0),
    countedAt: clock.now(),
  }
}
