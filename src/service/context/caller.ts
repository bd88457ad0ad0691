import type { Version } from '../../contract/endpoint.ts'
import type { ServiceContext } from './service-context.ts'

/** The service as one caller sees it: an API key, or an administrator at the command line. */
export interface Caller extends ServiceContext {
  /** The caller's organization: nothing of any other organization is visible. */
  readonly organizationId: string
  readonly role: 'admin' | 'auth'
  /** The only domain an API key is valid for; null for the whole organization. */
  readonly limitedTo: string | null
  readonly version: Version
}
