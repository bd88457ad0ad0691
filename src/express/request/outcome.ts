import type { FrameworkResponse } from '../framework/response.ts'
import type { Carried } from '../../challenge/challenge.ts'
import type { MfaState, StateChange } from '../session/mfa-state.ts'
import type { EventFacts } from '../options/mfa-event.ts'
import { wantsJson } from './navigation.ts'
import type { WebRequest } from './web-request.ts'

/** Decides one request. Handlers only return what should happen: `apply.ts` alone makes it happen. */
export type Handler<R extends WebRequest = WebRequest, A = Answer> = (
  request: R,
  signal: AbortSignal,
) => Outcome<A> | Promise<Outcome<A>>

/** The outcome of a request. The effects are applied in the order of these members, then the answer is sent. */
export interface Outcome<A = Answer> extends Effects {
  readonly answer: A | Continue<A>
}

export type { StateChange } from '../session/mfa-state.ts'

export interface Effects {
  readonly state: StateChange
  /** Values of `Set-Cookie`, sent only if the state was saved. */
  readonly cookies?: readonly string[]
  /** Emitted only after the state was saved. */
  readonly events?: readonly EventFacts[]
}

/** Decides further once the effects so far are applied: a change in the service may rely on a state that is saved. */
export interface Continue<A> {
  readonly kind: 'continue'
  readonly run: (state: MfaState, signal: AbortSignal) => Outcome<A> | Promise<Outcome<A>>
}

export type Answer =
  /** The request goes to the next handler of the app. */
  | { readonly kind: 'next' }
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown; readonly headers?: Headers }
  | Page
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  /** 204. */
  | { readonly kind: 'nothing' }
  | Stream
  /** A handler of the app answers, or calls `next()`; `otherwise` is sent if it did neither. */
  | { readonly kind: 'app'; readonly handler: AppHandler; readonly otherwise: Answer }
  | CarryOut

/** The form that a confirmation has interrupted is handled now; `carryingOut()` does so before anything is sent. */
export interface CarryOut {
  readonly kind: 'carry-out'
  readonly carried: Carried
}

type Headers = Readonly<Record<string, string>>

/** A page, as the name of its view and what the view shows. */
export interface Page {
  readonly kind: 'page'
  readonly status: number
  readonly view: string
  readonly model: object
  readonly headers?: Headers
}

/** Server-sent events (WHATWG HTML section 9.2). */
export interface Stream {
  readonly kind: 'stream'
  readonly run: (sink: Sink) => Promise<void>
}

export interface Sink {
  write(text: string): void
  /** Writes the last text. */
  end(text: string): void
  /** Aborted when the browser has closed the connection. */
  readonly signal: AbortSignal
}

/** Resolves when the app has answered or will not. */
export type AppHandler = (res: FrameworkResponse) => Promise<void>

/** Applies the effects, and continues with the saved state. */
export function andThen<R extends WebRequest, A = Answer>(
  request: R,
  effects: Effects,
  handler: Handler<R, A>,
): Outcome<A> {
  return {
    ...effects,
    answer: { kind: 'continue', run: (state, signal) => handler({ ...request, state }, signal) },
  }
}

/** Sends pages and scripts to an address. Scripts get it as JSON: fetch() would follow a redirect without telling them. */
export function continueAt({ req }: WebRequest, location: string): Answer {
  return wantsJson(req) ? { kind: 'json', status: 200, body: { location } } : { kind: 'redirect', location }
}

/** The same where the state does not change. */
export function leadTo(request: WebRequest, location: string): Outcome {
  return { state: 'as-is', answer: continueAt(request, location) }
}

export function redirect(location: string): Answer {
  return { kind: 'redirect', location }
}

export function json(status: number, body: unknown): Answer {
  return { kind: 'json', status, body }
}
