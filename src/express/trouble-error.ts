import { applyEffects } from './apply.ts'
import type { FrameworkRequest } from './framework/request.ts'
import type { FrameworkResponse } from './framework/response.ts'
import type { RequestContext } from './request/context.ts'
import { isTrouble, reportTrouble, unavailableError } from './request/trouble.ts'

interface Asked {
  readonly req: FrameworkRequest
  readonly res: FrameworkResponse
  readonly context: RequestContext
}

/**
 * For code of the app that asks us and gets no page: reports trouble as our pages do.
 * @returns what to throw: an error with status 503 for trouble, and any other error itself.
 */
export async function troubleError({ req, res, context }: Asked, error: unknown): Promise<unknown> {
  if (!isTrouble(error)) return error
  const { retryAfter, event } = reportTrouble(context, error)
  await applyEffects(req, res, context, { state: 'as-is', events: [event] })
  return unavailableError(error, retryAfter)
}
