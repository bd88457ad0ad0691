import type { OwnFactors } from '../../challenge/own-factors.ts'
import { readOwnFactors } from '../../challenge/own-factors.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import type { ChallengeRequest } from '../challenge-request.ts'
import { verifiedOf } from '../context.ts'
import { showMessage } from '../pages/message.ts'
import { stepUp } from '../require-mfa.ts'

/** How long ago the second step may have been passed by who changes what it is passed with, seconds. */
const recently = 600

/** A request by somebody who is verified, and what they have. */
export interface OwnRequest extends ChallengeRequest {
  readonly service: ConnectedService
  readonly own: OwnFactors
}

type Serve = (request: OwnRequest) => Promise<void>
type Route = (request: ChallengeRequest) => Promise<void>

/** Shows what there is, to nobody who is not verified. */
export function seen(serve: Serve): Route {
  return (request) => guarded(request, undefined, serve)
}

/**
 * Changes what there is, or shows a secret on the way: only for who passed the second step a moment ago. A web session
 * that was left open is not enough.
 */
export function changing(serve: Serve): Route {
  return (request) =>
    guarded(request, recently, async (own) => {
      // A 1.3 service cannot change two things at once, nor tell who had a factor.
      if (own.service.version === '1.3') return showMessage(own.req, own.res, own.context, 404, 'not_found')
      if (!hasStill(own)) return passAgain(own)
      await serve(own)
    })
}

async function guarded(request: ChallengeRequest, maxAge: number | undefined, serve: Serve): Promise<void> {
  const { req, res, context, user } = request
  if (!verifiedOf(req, context, user, maxAge === undefined ? {} : { maxAge })) return passAgain(request)
  const service = await context.mfa.connect()
  const own = await readOwnFactors(service, user)
  if (!own) return showMessage(req, res, context, 404, 'no_member')
  await serve({ ...request, service, own })
}

/**
 * Whether what the second step was passed with is still theirs: what an administrator has taken away since adds nothing
 * any more. A bypass code is used up by passing.
 */
function hasStill({ req, context, user, own }: OwnRequest): boolean {
  const factor = verifiedOf(req, context, user)?.factor
  return factor !== undefined && (factor === 'bypass' || own.factors.includes(factor))
}

function passAgain(request: ChallengeRequest): Promise<void> {
  const { req, res, context, user } = request
  return stepUp(req, res, context, user, { returnTo: devicesPath(request) })
}

/** What was posted is not posted again: back to where it can be. */
export function devicesPath({ context }: ChallengeRequest): string {
  return `${context.base}/devices`
}
