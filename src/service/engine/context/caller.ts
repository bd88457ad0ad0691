import type { AdminRole } from '../../../contract/roles.ts'
import type { Version } from '../../../contract/endpoint.ts'
import type { ServiceContext } from './service-context.ts'

/** The service as one caller sees it: an API key, or an administrator in the console or at the command line. */
export interface Caller extends ServiceContext {
  /** The caller's organization: nothing of any other organization is visible. */
  readonly organizationId: string
  readonly role: 'admin' | 'auth'
  /** The only domain an API key is valid for; null for the whole organization. */
  readonly limitedTo: string | null
  readonly version: Version
  /** The console that the call came through; absent for API keys and the command line. */
  readonly console?: ConsoleCall
}

/** A call of the console's REST interface. */
export interface ConsoleCall {
  /** The origin of the console's pages. */
  readonly origin: string
  /** The console's relying party (WebAuthn section 5.1.2): exactly its host name. */
  readonly rpId: string
  /** Returns the issuer of the OpenID provider that this process is; undefined if it is none. */
  readonly openIdIssuer?: (() => string | undefined) | undefined
  /** Undefined before the sign-in. */
  readonly administrator: SignedIn | undefined
  /**
   * Counts a request that needs no session: for the passkey or the invitation that it names, and for its address only if there is no
   * such thing. So nobody without a passkey or an invitation spends what those who have one need.
   *
   * @param organization The passkey or the invitation, if it exists.
   * @throws {ApiProblem} `api.error.toomanyrequests`
   */
  readonly countUnsigned: (organization: string | undefined) => void
}

/** An administrator with a session that has not ended. */
export interface SignedIn {
  readonly id: string
  readonly organizationId: string
  readonly role: AdminRole
  /** The domains that it is limited to, possibly none; null for the whole organization. */
  readonly domainIds: readonly string[] | null
  /** The user that this person is, if it is one. */
  readonly userId: string | null
  readonly email: string
  readonly session: {
    readonly hash: string
    readonly signedInAt: number
    readonly usedAt: number
    /** The last use of a passkey in this session. */
    readonly passedAt: number
  }
}
