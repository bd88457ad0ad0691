/** All operations of the console's REST interface by name, in the order of its reference page. */
import { listOperations } from '../contract/operations.ts'
import type { Operation } from '../contract/operations.ts'
import * as administrators from './administrators.ts'
import * as audit from './audit.ts'
import * as auditVerification from './audit-verification.ts'
import * as consents from './consents.ts'
import * as bulkJobs from './bulk-jobs.ts'
import * as people from './people.ts'
import * as peopleExport from './people-export.ts'
import * as callerVerifications from './caller-verifications.ts'
import * as domains from './domains.ts'
import * as enrollment from './enrollment.ts'
import * as oidcClients from './oidc-clients.ts'
import * as oidcProvider from './oidc-provider.ts'
import * as overview from './overview.ts'
import * as qrCodes from './qr-codes.ts'
import * as stock from './stock.ts'
import * as timeline from './timeline.ts'
import * as signIn from './sign-in.ts'

export const adminOperations: readonly Operation[] = listOperations({
  'Signing in': signIn,
  Overview: overview,
  Administrators: administrators,
  'Apps and domains': domains,
  'OpenID Connect': { ...oidcProvider, ...oidcClients },
  Audit: { ...audit, ...auditVerification },
  People: { ...people, ...peopleExport },
  'Bulk actions': bulkJobs,
  'Enrollment and e-mail addresses': enrollment,
  'Sign-ins of people': timeline,
  'Hardware tokens': stock,
  Consents: consents,
  'Verifying callers': callerVerifications,
  'QR codes': qrCodes,
})
