import type { Domain } from '../../../contract/domains.ts'
import type { DomainRow } from './statements.ts'

export function domainView(domain: DomainRow): Domain {
  return {
    ...domain,
    requestPollingEnabled: domain.requestPollingEnabled === 1,
    bypassEnabled: domain.bypassEnabled === 1,
    emailOtpEnabled: domain.emailOtpEnabled === 1,
    synchronizationVersion: domain.synchronizationApplied,
  }
}
