import type { Domain } from '../../contract/domains.ts'
import type { User } from '../../contract/users.ts'
import type { DomainRow } from '../store/domains.ts'
import type { Belongings, UserRow } from '../store/users.ts'

export function domainView(domain: DomainRow): Domain {
  return {
    ...domain,
    requestPollingEnabled: domain.requestPollingEnabled === 1,
    bypassEnabled: domain.bypassEnabled === 1,
    emailOtpEnabled: domain.emailOtpEnabled === 1,
  }
}

export function userView(user: UserRow, has: Belongings | undefined): User {
  return {
    id: user.id,
    username: user.username,
    name: user.name,
    email: user.email,
    domains: has?.domainIds ?? [],
    hardware: '',
    bypasscodes: [],
    factors: has?.hasActiveToken ? ['push'] : [],
    everEnrolled: user.everEnrolled === 1,
  }
}
