import type * as administrators from '../../contract/admin/administrators.ts'
import type * as consents from '../../contract/admin/consents.ts'
import type * as audit from '../../contract/admin/audit.ts'
import type * as auditVerification from '../../contract/admin/audit-verification.ts'
import type * as bulkJobs from '../../contract/admin/bulk-jobs.ts'
import type * as callerVerifications from '../../contract/admin/caller-verifications.ts'
import type * as domains from '../../contract/admin/domains.ts'
import type * as enrollment from '../../contract/admin/enrollment.ts'
import type * as overview from '../../contract/admin/overview.ts'
import type * as people from '../../contract/admin/people.ts'
import type * as qrCodes from '../../contract/admin/qr-codes.ts'
import type * as signIn from '../../contract/admin/sign-in.ts'
import type * as stock from '../../contract/admin/stock.ts'
import type * as timeline from '../../contract/admin/timeline.ts'
import type { Endpoint, EndpointInput, EndpointOutput } from '../../contract/endpoint.ts'

type Declared = typeof administrators &
  typeof consents &
  typeof audit &
  typeof auditVerification &
  typeof bulkJobs &
  typeof callerVerifications &
  typeof domains &
  typeof enrollment &
  typeof overview &
  typeof people &
  typeof qrCodes &
  typeof signIn &
  typeof stock &
  typeof timeline

/**
 * The operations of the console by method and path, such as `GET /admin/session`. Types only: the schemas would be a third of
 * the script.
 */
type Operations = {
  [
    Name in keyof Declared as Declared[Name] extends Endpoint
      ? `${Declared[Name]['method']} ${Declared[Name]['path']}`
      : never
  ]: Declared[Name] extends Endpoint ? Declared[Name] : never
}

export type Route = keyof Operations

/** The type of a file is that of its content. */
type FileInput<E> = E extends { readonly file: object } ? { readonly file: Blob } : unknown

export type RouteInput<R extends Route> = EndpointInput<Operations[R]> & FileInput<Operations[R]>

export type RouteOutput<R extends Route> = EndpointOutput<Operations[R]>
