import type { IncomingMessage, ServerResponse } from 'node:http'

import type { ApiProblem } from '../base/problem.ts'
import { answer } from './answer.ts'
import type { Label } from './answer.ts'
import { errorBody } from './errors.ts'

/** Bodies up to this size are read before the response is sent, bytes. */
const maxReadBody = 64 * 1024

/**
 * Rejects a request before anything is done for it. A short body is read first: closing a connection with unread bytes resets
 * it, and the caller might never see the response.
 */
export function rejectUnread(req: IncomingMessage, res: ServerResponse, problem: ApiProblem, label: Label): void {
  const send = () => answer(res, problem.status, errorBody(problem), { ...label, ...problem.headers })
  if (req.complete || !hasShortBody(req)) return send()
  req.once('end', send)
  req.resume()
}

function hasShortBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > 0 && Number(headers['content-length']) <= maxReadBody
}
