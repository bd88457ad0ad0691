import type { Factor } from '../../contract/users.ts'
import type { Budget } from '../rules/known-browsers.ts'

/** Told of what happens, for logs and figures. Names and ids, never secrets. */
export interface Observer {
  answered(request: AnsweredRequest): void
  /** @param outcome A state, or the reason for it. @param sessions How many. */
  settled(outcome: string, sessions?: number, session?: SettledSession): void
  /** What became of a push message. */
  pushed(outcome: PushOutcome): void
  /** What became of an activation code that somebody tried. */
  triedActivation(outcome: TryOutcome): void
  /** The operator was told. @param alert Name of the audit event. */
  alerted(alert: string): void
  /** A session was not created, because too much was tried already. @param budget Of which of the user's two budgets. */
  refused(what: 'push.throttled' | 'codes.refused', budget: Budget): void
  /** Something of a user was locked, after too many wrong tries. */
  locked(what: 'codes' | 'token'): void
  /** A unit of work waited for its connection, or for the beginning of its transaction. */
  waitedForDatabase(purpose: 'connection' | 'transaction', seconds: number): void
  databaseSucceeded(part: 'read' | 'write'): void
  databaseFailed(part: 'read' | 'write'): void
  /** What is over was cleared away, or that failed. */
  swept(outcome: 'done' | 'failed', seconds: number): void
  /** The clock of the machine has leapt. */
  clockLeapt(): void
}

/** How a single session came to its end. */
export interface SettledSession {
  /** For a wrong code the one that it was meant to be. */
  readonly factor: Factor
  /** From its creation on; absent where it never waited for an answer. */
  readonly seconds?: number
}

/** `refused`: it was not looked at, as too many wrong ones came before. */
export type TryOutcome = 'right' | 'wrong' | 'refused'

/** `dropped`: there were too many of them to begin with. */
export type PushOutcome = 'sent' | 'gone' | 'refused' | 'failed' | 'dropped'

export interface AnsweredRequest {
  readonly requestId: string | undefined
  /** Name of the operation; `none` where there is no such operation. */
  readonly operation: string
  /** Of HTTP; `aborted` where the caller did not stay for the answer. */
  readonly status: number | 'aborted'
  readonly seconds: number
}

export const nobody: Observer = {
  answered: () => {},
  settled: () => {},
  pushed: () => {},
  triedActivation: () => {},
  alerted: () => {},
  refused: () => {},
  locked: () => {},
  waitedForDatabase: () => {},
  databaseSucceeded: () => {},
  databaseFailed: () => {},
  swept: () => {},
  clockLeapt: () => {},
}

export function tellAll(observers: readonly Observer[]): Observer {
  return {
    answered: (request) => observers.forEach((observer) => observer.answered(request)),
    settled: (...settled) => observers.forEach((observer) => observer.settled(...settled)),
    pushed: (outcome) => observers.forEach((observer) => observer.pushed(outcome)),
    triedActivation: (outcome) => observers.forEach((observer) => observer.triedActivation(outcome)),
    alerted: (alert) => observers.forEach((observer) => observer.alerted(alert)),
    refused: (what, budget) => observers.forEach((observer) => observer.refused(what, budget)),
    locked: (what) => observers.forEach((observer) => observer.locked(what)),
    waitedForDatabase: (...waited) => observers.forEach((observer) => observer.waitedForDatabase(...waited)),
    databaseSucceeded: (part) => observers.forEach((observer) => observer.databaseSucceeded(part)),
    databaseFailed: (part) => observers.forEach((observer) => observer.databaseFailed(part)),
    swept: (...swept) => observers.forEach((observer) => observer.swept(...swept)),
    clockLeapt: () => observers.forEach((observer) => observer.clockLeapt()),
  }
}
