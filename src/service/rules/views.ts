import type { Domain } from '../../contract/domains.ts'
import { Factor } from '../../contract/users.ts'
import type { User } from '../../contract/users.ts'
import type { DomainRow } from '../store/domains.ts'
import type { Belongings } from '../store/belongings.ts'
import type { UserRow } from '../store/users.ts'
import { epochOf } from './epoch.ts'

export function domainView(domain: DomainRow): Domain {
  return {
    ...domain,
    requestPollingEnabled: domain.requestPollingEnabled === 1,
    bypassEnabled: domain.bypassEnabled === 1,
    emailOtpEnabled: domain.emailOtpEnabled === 1,
    synchronizationVersion: domain.synchronizationApplied,
  }
}

export function userView(user: UserRow, has: Belongings | undefined): User {
  return {
    id: user.id,
    username: user.username,
    name: user.name,
    email: user.email,
    domains: has?.domainIds ?? [],
    hardware: has?.hardwareId ?? '',
    bypasscodes: has?.bypassCodeIds ?? [],
    factors: has ? factorsOf(user, has) : [],
    everEnrolled: user.everEnrolled === 1,
    epoch: epochOf(user),
  }
}

/** What the user can pass with right now, in one of its domains at least. */
function factorsOf(user: UserRow, has: Belongings): Factor[] {
  const present: Record<Factor, boolean> = {
    push: has.hasActiveToken,
    otp: has.hasDeviceCodes || has.hardwareId !== undefined,
    email: has.domainTakesEmail && user.email !== '',
    bypass: has.domainTakesBypass && has.bypassCodeIds.length > 0,
  }
  return Factor.options.filter((factor) => present[factor])
}
