import type * as administrators from '../../admin-contract/administrators.ts'
import type * as consents from '../../admin-contract/consents.ts'
import type * as audit from '../../admin-contract/audit.ts'
import type * as auditVerification from '../../admin-contract/audit-verification.ts'
import type * as bulkJobs from '../../admin-contract/bulk-jobs.ts'
import type * as callerVerifications from '../../admin-contract/caller-verifications.ts'
import type * as domains from '../../admin-contract/domains.ts'
import type * as enrollment from '../../admin-contract/enrollment.ts'
import type * as oidcClients from '../../admin-contract/oidc-clients.ts'
import type * as oidcProvider from '../../admin-contract/oidc-provider.ts'
import type * as overview from '../../admin-contract/overview.ts'
import type * as people from '../../admin-contract/people.ts'
import type * as qrCodes from '../../admin-contract/qr-codes.ts'
import type * as signIn from '../../admin-contract/sign-in.ts'
import type * as stock from '../../admin-contract/stock.ts'
import type * as timeline from '../../admin-contract/timeline.ts'
import type { Endpoint, EndpointInput, EndpointOutput } from '../../contract/endpoint.ts'

type Declared = typeof administrators &
  typeof consents &
  typeof audit &
  typeof auditVerification &
  typeof bulkJobs &
  typeof callerVerifications &
  typeof domains &
  typeof enrollment &
  typeof oidcClients &
  typeof oidcProvider &
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
