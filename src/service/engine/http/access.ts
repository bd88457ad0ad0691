import type { Endpoint } from '../../../contract/endpoint.ts'
import type { AnswerFormat } from '../../../contract/media-type.ts'
import type { Caller } from '../context/caller.ts'
import type { RestRequest } from './rest-request.ts'

/** Admits callers of a REST interface: API keys, or the administrators of the console. */
export interface Access {
  /** The format that a request asks for; undefined for unknown ones. */
  readonly formatOf: (headers: RestRequest['headers']) => AnswerFormat | undefined
  /**
   * Authenticates the caller within its rate limit.
   * @param limits Receives headers that say what is left.
   * @throws {ApiProblem} if the caller is not accepted.
   */
  readonly admit: (request: RestRequest, limits: Record<string, string>) => Promise<AdmittedCaller>
}

/** An authenticated caller. */
export interface AdmittedCaller {
  /** The id under which streams and held reads are counted. */
  readonly id: string
  /** The caller as handlers know it. */
  readonly caller: Pick<Caller, 'organizationId' | 'actor' | 'role' | 'limitedTo' | 'console'>
  /** @throws {ApiProblem} if it may not call the operation. */
  authorize(endpoint: Endpoint, params: Readonly<Record<string, string>>): void | Promise<void>
  /** @throws {ApiProblem} if its access has ended or changed since. */
  requireUnchanged(): Promise<void>
}
