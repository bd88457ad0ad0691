import type { Unverified } from '../../challenge/policy.ts'
import type { MfaEvent } from '../options/mfa-event.ts'
import type { Need } from './need.ts'

/** Why the gate lets a request pass, or that it stops it. */
export type GateDecision =
  | 'nobody'
  | 'off'
  | 'verified'
  | 'let_through'
  | 'logout'
  | 'public'
  | 'not_required'
  | 'emergency'
  | 'remembered'
  | 'stopped'

/** The decisions of `requireMfa()`. */
export type GuardDecision = 'passed' | 'nobody' | 'later_user' | 'not_required' | 'emergency' | Unverified

/** A decision about a request, for the page of `debug: true`. */
export type TraceStep =
  | { readonly kind: 'gate'; readonly decision: GateDecision; readonly unverified?: Unverified | undefined }
  | { readonly kind: 'guard'; readonly decision: GuardDecision; readonly need: Need }
  | { readonly kind: 'own_page' }
  | { readonly kind: 'sent' | 'refused'; readonly to: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Records one request. */
export interface Trace {
  note(step: TraceStep): void
  tell(event: MfaEvent): void
  /** Sets the user who is signed in. */
  isOf(userKey: string | undefined): void
  /** Assigns the log lines written in `run` to this web session. */
  run<T>(run: () => T): T
}
