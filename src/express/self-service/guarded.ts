import type { OwnFactors } from '../../challenge/own-factors.ts'
import { readOwnFactors } from '../../challenge/own-factors.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { ApiError } from '../../client/errors.ts'
import type { ChangedFactor, ChangeRequirement } from '../../contract/factors.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { maySelfEnroll } from '../request/web-request.ts'
import { verifiedOf } from '../request/context.ts'
import { demand } from '../sign-in/demand.ts'
import { showMessage } from '../pages/message.ts'
import { stepUp } from '../require-mfa.ts'
import { readMfaState } from '../session/web-session.ts'

/** A request by somebody who is verified, and what they have. */
export interface OwnRequest extends ChallengeRequest {
  readonly service: ConnectedService
  readonly own: OwnFactors
}

/** A request by somebody who has passed the second step to change what it is passed with. */
export interface ChangeRequest extends OwnRequest {
  /** Id of the session that was approved for it: the service checks it again, in the transaction of the change. */
  readonly pass: string
}

type Serve<Request> = (request: Request) => Promise<void>
type Route = (request: ChallengeRequest) => Promise<void>

/** Shows what there is, to nobody who is not verified. */
export function seen(serve: Serve<OwnRequest>): Route {
  return async (request) => {
    const { req, res, context, user } = request
    if (!verifiedOf(req, context, user)) return stepUp(req, res, context, user, { returnTo: returnPath(request) })
    const service = await context.mfa.connect()
    const own = await readOwnFactors(service, user)
    if (!own) return showMessage(req, res, context, 404, 'no_member')
    await serve({ ...request, service, own })
  }
}

/**
 * Changes what there is: only with a pass for exactly that, not older than the option `devices.maxAge`, whose factor is
 * strong enough and still in force. Which factors are, the service alone decides.
 */
export function changing(
  changed: ChangedFactor | ((request: OwnRequest) => ChangedFactor),
  serve: Serve<ChangeRequest>,
): Route {
  return seen(async (request) => {
    const { service, own } = request
    // A 1.3 service cannot change two things at once, nor tell who had a factor.
    if (service.version === '1.3') return showMessage(request.req, request.res, request.context, 404, 'not_found')
    const what = typeof changed === 'function' ? changed(request) : changed
    const pass = passOf(request)
    const requirement = await service.client.factors.requirement(service.domainId, own.userId, { changed: what, pass })
    // E-mail counts only for a first factor beside it: the app decides about that one here, too.
    if (requirement.factors.includes('email') && !(await maySelfEnroll(request, service.version))) {
      return showMessage(request.req, request.res, request.context, 403, 'ask_administrator')
    }
    if (pass === undefined || !requirement.passed) return requirePass(request, requirement)
    try {
      await serve({ ...request, pass })
    } catch (error) {
      // Taken away since the look a moment ago.
      if (!(error instanceof ApiError) || error.code !== 'api.error.conflict.pass') throw error
      await requirePass(request, requirement)
    }
  })
}

/** The session that was passed for changing devices, if that is not too long ago. */
function passOf({ req, context, user }: OwnRequest): string | undefined {
  const verified = verifiedOf(req, context, user, context.mfa.options.devices)
  return verified?.purpose === 'change_devices' ? verified.sessionId : undefined
}

/** Asks for a pass by what counts for this change; where the user has nothing of that, an administrator has to help. */
function requirePass(request: OwnRequest, { factors: counted }: ChangeRequirement): Promise<void> {
  const { req, res, context, user } = request
  const factors = context.mfa.options.devices.factors.filter((factor) => counted.includes(factor))
  if (factors.length === 0) return Promise.resolve(showMessage(req, res, context, 403, 'ask_administrator'))
  const path = returnPath(request)
  return demand(req, res, context, user, { purpose: 'change_devices', factors, returnTo: path, giveUpTo: path })
}

/** What was posted is not posted again: back to where it can be. */
export function devicesPath({ context }: ChallengeRequest): string {
  return `${context.base}/devices`
}

/** Recovery codes that are offered have a page of their own. */
function returnPath(request: ChallengeRequest): string {
  return readMfaState(request.req).offer ? `${request.context.base}/recovery` : devicesPath(request)
}
