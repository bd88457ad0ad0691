import type { Factor } from '../../../contract/factor.ts'
import type { Budget } from '../../../contract/known-browser.ts'

/** Receives events for logs and metrics: names and ids, never secrets. */
export interface Observer {
  answered(request: AnsweredRequest): void
  /** @param outcome A state, or the reason for it. @param sessions How many. */
  settled(outcome: string, sessions?: number, session?: SettledSession): void
  /** @param outcome The state of an approval of an action, or the reason for it. */
  approvalSettled(outcome: string): void
  /** What a client of the OpenID provider got. */
  openId(outcome: OpenIdOutcome): void
  /** The outcome of telling a client of the OpenID provider that a person has answered. */
  pinged(outcome: PingOutcome): void
  /** The outcome of a push message. */
  pushed(outcome: PushOutcome): void
  /** The outcome of an attempt to use an activation code. */
  triedActivation(outcome: TryOutcome): void
  /** The operator was alerted. @param alert Name of the audit event. */
  alerted(alert: string): void
  /** A session was not created because of too many attempts. @param budget Which of the user's two budgets was used up. */
  refused(refusal: 'push.throttled' | 'codes.refused', budget: Budget): void
  /** Codes or a token of a user were locked after too many wrong attempts. */
  locked(secret: 'codes' | 'token'): void
  /** A unit of work waited for its connection, or for its transaction to begin. */
  waitedForDatabase(purpose: 'connection' | 'transaction', seconds: number): void
  databaseSucceeded(part: 'read' | 'write'): void
  databaseFailed(part: 'read' | 'write'): void
  /** A sweep has ended or failed. */
  swept(outcome: 'done' | 'failed', seconds: number): void
  /** The machine's clock has jumped. */
  clockJumped(): void
}

/** How a session was settled. */
export interface SettledSession {
  /** The factor that was used; for a wrong code, the one that was meant. */
  readonly factor: Factor
  /** The time since its creation; absent if it never waited for an answer. */
  readonly seconds?: number
}

/** `refused`: not checked, because too many wrong codes came before. */
export type TryOutcome = 'right' | 'wrong' | 'refused'

/** `refused`: an error instead of a sign-in. `secret_refused`: the secret of the client was wrong. */
export type OpenIdOutcome = 'signed_in' | 'refused' | 'secret_refused'

/** `refused`: the client did not accept it. `failed`: it could not be reached. */
export type PingOutcome = 'sent' | 'refused' | 'failed'

/** `dropped`: the queue was full. */
export type PushOutcome = 'sent' | 'gone' | 'refused' | 'failed' | 'dropped'

export interface AnsweredRequest {
  readonly requestId: string | undefined
  /** Name of the operation; `none` where there is no such operation. */
  readonly operation: string
  /** The HTTP status, or `aborted` if the caller disconnected before the response. */
  readonly status: number | 'aborted'
  readonly seconds: number
}

export function combineObservers(observers: readonly Observer[]): Observer {
  return {
    answered: (request) => observers.forEach((observer) => observer.answered(request)),
    settled: (...settled) => observers.forEach((observer) => observer.settled(...settled)),
    approvalSettled: (outcome) => observers.forEach((observer) => observer.approvalSettled(outcome)),
    openId: (outcome) => observers.forEach((observer) => observer.openId(outcome)),
    pinged: (outcome) => observers.forEach((observer) => observer.pinged(outcome)),
    pushed: (outcome) => observers.forEach((observer) => observer.pushed(outcome)),
    triedActivation: (outcome) => observers.forEach((observer) => observer.triedActivation(outcome)),
    alerted: (alert) => observers.forEach((observer) => observer.alerted(alert)),
    refused: (refusal, budget) => observers.forEach((observer) => observer.refused(refusal, budget)),
    locked: (secret) => observers.forEach((observer) => observer.locked(secret)),
    waitedForDatabase: (...waited) => observers.forEach((observer) => observer.waitedForDatabase(...waited)),
    databaseSucceeded: (part) => observers.forEach((observer) => observer.databaseSucceeded(part)),
    databaseFailed: (part) => observers.forEach((observer) => observer.databaseFailed(part)),
    swept: (...args) => observers.forEach((observer) => observer.swept(...args)),
    clockJumped: () => observers.forEach((observer) => observer.clockJumped()),
  }
}

export const noObserver: Observer = combineObservers([])
