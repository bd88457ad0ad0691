import type { PostedRequest } from './http-request.ts'
import type { FrameworkResponse } from './response.ts'
import type { SessionKind } from './session-kind.ts'

/** What `mfa()` reads of a request. A request of Express is one; `src/fastify/fastify-request.ts` makes one of a request of Fastify. */
export interface FrameworkRequest extends PostedRequest, OtherFramework {
  readonly method: string
  readonly originalUrl: string
  /** The path that `mfa()` is mounted at, and the path below it. */
  readonly baseUrl: string
  readonly path: string
  /** Names and values of the headers as they were sent, with those that occur twice. */
  readonly rawHeaders?: readonly string[] | undefined
  /** The user, where Passport or another login of the app puts it. */
  readonly user?: unknown
}

/** What requests of other frameworks bring along. A request of Express has none of these members. */
interface OtherFramework {
  /** The request of the framework, which the app's own functions get. */
  readonly original?: object | undefined
  readonly response?: FrameworkResponse | undefined
  readonly sessionKind?: SessionKind | undefined
  /** What to write where a request has no web session. */
  readonly sessionAdvice?: string | undefined
  /** Whether a proxy that the app trusts has sent the request. */
  readonly isFromProxy?: boolean | undefined
}
