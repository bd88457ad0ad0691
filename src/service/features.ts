import { audit } from './engine/audit/feature.ts'
import { idempotency } from './engine/idempotency/feature.ts'
import type { Feature } from './engine/steps/feature.ts'
import { limits } from './engine/limits/feature.ts'
import { users } from './features/users/feature.ts'
import { domains } from './features/domains/feature.ts'
import { oidc } from './features/oidc/feature.ts'
import { factors } from './features/factors/feature.ts'
import { browsers } from './features/browsers/feature.ts'
import { passkeys } from './features/passkeys/feature.ts'
import { bypassCodes } from './features/bypass-codes/feature.ts'
import { sentCodes } from './features/sent-codes/feature.ts'
import { codes } from './features/codes/feature.ts'
import { administrators } from './features/administrators/feature.ts'
import { sessions } from './features/sessions/feature.ts'
import { hardware } from './features/hardware/feature.ts'
import { importedFactors } from './features/imported-factors/feature.ts'
import { devices } from './features/devices/feature.ts'
import { callers } from './features/callers/feature.ts'
import { approvals } from './features/approvals/feature.ts'
import { mailReports } from './features/mail-reports/feature.ts'
import { people } from './features/people/feature.ts'
import { bulkJobs } from './features/bulk-jobs/feature.ts'

/** All that the service is made of. */
export const features: readonly Feature[] = [
  limits,
  audit,
  idempotency,
  users,
  domains,
  oidc,
  factors,
  browsers,
  passkeys,
  bypassCodes,
  sentCodes,
  codes,
  administrators,
  sessions,
  hardware,
  importedFactors,
  devices,
  callers,
  approvals,
  mailReports,
  people,
  bulkJobs,
]
