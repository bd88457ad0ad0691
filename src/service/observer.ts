import type { ServerResponse } from 'node:http'

import { requestIdOf } from './http/request-id.ts'

/** Told of what happens, for logs and figures. Names and ids, never secrets. */
export interface Observer {
  answered(request: AnsweredRequest): void
  /** @param outcome A state, or the reason for it. @param sessions How many. */
  settled(outcome: string, sessions?: number): void
  /** What became of a push message. */
  pushed(outcome: PushOutcome): void
}

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

export const nobody: Observer = { answered: () => {}, settled: () => {}, pushed: () => {} }

export function tellAll(observers: readonly Observer[]): Observer {
  return {
    answered: (request) => observers.forEach((observer) => observer.answered(request)),
    settled: (outcome, sessions) => observers.forEach((observer) => observer.settled(outcome, sessions)),
    pushed: (outcome) => observers.forEach((observer) => observer.pushed(outcome)),
  }
}

/** Tells of the answer once it is through. */
export function observe({ observer }: { observer: Observer }, res: ServerResponse, operation: string): void {
  const begun = performance.now()
  res.once('close', () => {
    const status = res.writableFinished ? res.statusCode : 'aborted'
    observer.answered({ requestId: requestIdOf(res), operation, status, seconds: (performance.now() - begun) / 1000 })
  })
}
