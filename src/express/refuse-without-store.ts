import { apply } from './apply.ts'
import type { FrameworkRequest } from './framework/request.ts'
import type { FrameworkResponse } from './framework/response.ts'
import type { RequestContext } from './request/context.ts'
import { WebSessionError } from './session/web-session-error.ts'
import { unavailable } from './sign-in/unavailable.ts'
import { troubleError } from './trouble-error.ts'

interface Handling {
  readonly next: (error?: unknown) => void
  /** The path below the challenge path; undefined for the app's own routes. */
  readonly below?: string | undefined
}

/**
 * Answers a request that has no web session because the store has lost its database: nobody knows who is signed in, so none passes. Our
 * pages say so, and for its own routes the app gets an error, as any visitor may have asked.
 */
export async function refuseWithoutStore(
  req: FrameworkRequest,
  res: FrameworkResponse,
  context: RequestContext,
  { next, below }: Handling,
): Promise<void> {
  const error = new WebSessionError(
    'The store of web sessions has emitted "disconnect", so express-session gives no request its web session until the store emits ' +
      '"connect". Check the database that keeps the web sessions.',
  )
  if (below === undefined) return next(await troubleError({ req, res, context }, error))
  const visitor = { req, context, state: {} }
  await apply(visitor, res, await unavailable(visitor, error, false))
}
