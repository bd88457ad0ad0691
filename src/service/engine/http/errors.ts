import type { ServerResponse } from 'node:http'

import type { ErrorBody } from '../../../contract/errors.ts'
import type { FailureLog } from '../monitoring/failure-log.ts'
import { ApiProblem } from '../base/problem.ts'
import { OutcomeUnknownError, StoreUnavailableError } from '../base/store-errors.ts'
import { jsonAnswer, send } from './answer.ts'
import type { Answer, Label } from './answer.ts'
import { requestIdOf } from './request-id.ts'

/** The only place where errors become responses: an error that is not an `ApiProblem` becomes `internal`, and is logged. */
export function errorAnswer(
  error: unknown,
  { label, failures, requestId }: { label: Label; failures: FailureLog; requestId: string | undefined },
): Answer {
  const problem = toProblem(error)
  if (problem.status >= 500) failures.requestFailed(problem, requestId)
  const retryHeader = problem.status === 503 ? { 'Retry-After': '1' } : {}
  return jsonAnswer(problem.status, errorBody(problem), { ...label, ...retryHeader, ...problem.headers })
}

export function answerError(res: ServerResponse, error: unknown, label: Label, failures: FailureLog): void {
  send(res, errorAnswer(error, { label, failures, requestId: requestIdOf(res) }))
}

export function errorBody({ code, message, triesLeft, outcome }: ApiProblem): ErrorBody {
  return { errors: [{ code, message, ...(triesLeft !== undefined && { triesLeft }), ...(outcome && { outcome }) }] }
}

const unknownOutcome = 'The database has not answered whether the change is stored. Read before you repeat it.'

function toProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  if (error instanceof OutcomeUnknownError) {
    return new ApiProblem('api.error.unavailable', unknownOutcome, { cause: error, outcome: 'unknown' })
  }
  if (error instanceof StoreUnavailableError) {
    return new ApiProblem('api.error.unavailable', undefined, { cause: error })
  }
  // Express reports these for a path or body that cannot be decoded.
  if (statusOf(error) === 413) return new ApiProblem('api.error.toolarge')
  if (statusOf(error) === 415) return new ApiProblem('api.error.unsupportedmediatype')
  if (statusOf(error) === 400) return new ApiProblem('api.error.malformed')
  return new ApiProblem('api.error.internal', undefined, { cause: error })
}

function statusOf(error: unknown): unknown {
  return error instanceof Error && 'status' in error ? error.status : undefined
}
