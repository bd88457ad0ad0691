import { mapSwitches } from '../../../contract/domains.ts'
import type { Domain } from '../../../contract/domains.ts'
import type { DomainRow } from './statements.ts'

export function domainView(domain: DomainRow): Domain {
  return {
    ...domain,
    ...mapSwitches((name) => domain[name] === 1),
    synchronizationVersion: domain.synchronizationApplied,
  }
}
