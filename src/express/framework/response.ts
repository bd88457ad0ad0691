import type { ServerResponse } from 'node:http'

import type { ServiceHandle } from '../../service-handle.ts'
import type { Mount } from './pass-to.ts'

/** How `mfa()` answers a request. The answers go through the framework, which stores the web session before it sends them. */
export interface FrameworkResponse {
  /** Tells when the answer is over. */
  readonly raw: ServerResponse
  /** The response of the framework, which the app's own functions get. */
  readonly original: object
  /** Whether an answer has begun: it can only be cut off. */
  readonly isBegun: boolean
  /** Whether there is an answer, or can be none any more. */
  readonly isAnswered: boolean
  /** Whether the answer sets cookies so far. */
  readonly hasCookies: boolean
  /** Whether a handler of the app that returns a promise is done when that is settled. */
  readonly handlersAwaitAnswers: boolean
  /** @param value of `Set-Cookie`. */
  addCookie(value: string): void
  send(answer: RawAnswer): void
  /** Begins an answer that is sent in pieces. */
  stream(headers: Headers): Pieces
  /** Renders a view of the app's own view engine. */
  render(view: string, model: object): Promise<string>
  /** From now on, a redirect to another origin becomes a page that refreshes to it. */
  leaveByPage(): void
  /**
   * Has a handler of `node:http` answer.
   * @returns a promise that resolves when it has answered, or has passed the request on.
   */
  passTo(handler: ServiceHandle['routes'], mount: Mount): Promise<void>
}

export type Headers = Readonly<Record<string, string>>

export interface RawAnswer {
  readonly status: number
  /** Without `Cache-Control`, no cache may keep the answer. `Vary` is added to what is there. */
  readonly headers: Headers
  readonly body?: string | Buffer | undefined
}

export interface Pieces {
  write(text: string): void
  end(text: string): void
}
