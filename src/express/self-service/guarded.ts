import { narrow } from '../../challenge/policy.ts'
import type { OwnFactors } from '../../challenge/own-factors.ts'
import { readOwnFactors } from '../../challenge/own-factors.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { storeMailSettings } from '../../challenge/user.ts'
import { ApiError } from '../../client/errors.ts'
import { isStrong } from '../../contract/factor-descriptions.ts'
import type { ChangedFactor, ChangeRequirement } from '../../contract/factors.ts'
import { mailSettingsOf } from '../pages/mail-settings.ts'
import { message } from '../pages/message.ts'
import { relyingPartyOf } from '../request/passkeys.ts'
import type { Handler, Outcome } from '../request/outcome.ts'
import { verifiedOf } from '../request/verified.ts'
import type { WebRequest } from '../request/web-request.ts'
import { bindingOf } from '../session/id-cookie.ts'
import { carriedForm } from '../sign-in/carried-form.ts'
import { demand, stepUp } from '../sign-in/demand.ts'
import { maySelfEnroll } from '../sign-in/newcomer.ts'

/** A request by a verified user, with their factors. */
export interface OwnRequest extends WebRequest {
  readonly service: ConnectedService
  readonly ownFactors: OwnFactors
}

/** A request by a user who has passed the second step in order to change factors. */
export interface ChangeRequest extends OwnRequest {
  /** Id of the session that was approved for it: the service checks it again, in the transaction of the change. */
  readonly pass: string
}

/** Serves verified users only. */
export function seen(handler: Handler<OwnRequest>): Handler {
  return async (request, signal) => {
    const { context, user, state } = request
    if (!verifiedOf(state, context))
      return stepUp(request, { returnTo: returnPath(request), carried: carriedForm(request) })
    const service = await context.mfa.connect()
    const ownFactors = await readOwnFactors(service, user)
    if (!ownFactors) return message(request, 404, 'no_member')
    return handler({ ...request, service, ownFactors: usableOf(request, ownFactors) }, signal)
  }
}

/** Recovery codes are of no use where the app requires passkeys. */
function usableOf({ context }: WebRequest, ownFactors: OwnFactors): OwnFactors {
  return context.mfa.options.phishingResistant === 'require' ? { ...ownFactors, recoveryCodes: undefined } : ownFactors
}

/** The same for what only some services can do: let users change their own factors. */
export function seenByNewer(handler: Handler<OwnRequest>): Handler {
  return seen((request, signal) =>
    request.service.managesFactors ? handler(request, signal) : message(request, 404, 'not_found'),
  )
}

/**
 * Changes factors: only with a pass for exactly that, not older than the option `devices.maxAge`, by a factor that is strong
 * enough and still valid. The service alone decides which factors are.
 */
export function changing(
  changed: ChangedFactor | ((request: OwnRequest) => ChangedFactor),
  handler: Handler<ChangeRequest>,
): Handler {
  return seenByNewer(async (request, signal) => {
    const { service, ownFactors } = request
    const factor = typeof changed === 'function' ? changed(request) : changed
    const pass = passOf(request, factor)
    const change = { changed: factor, pass, rpId: relyingPartyOf(request)?.id }
    const requirement = await service.client.factors.requirement(service.domainId, ownFactors.userId, change)
    // A weak factor confirms nothing but the first strong one: there, too, the app decides who may enroll.
    if (!requirement.factors.every(isStrong) && !(await maySelfEnroll(request, service, undefined))) {
      return message(request, 403, 'ask_administrator')
    }
    if (pass === undefined || !requirement.passed) return demandPass(request, requirement)
    await storeMailSettings(service, { ...ownFactors, id: ownFactors.userId }, mailSettingsOf(request))
    return whilePassed(
      () => handler({ ...request, pass }, signal),
      () => demandPass(request, requirement),
    )
  })
}

/** Demands the pass again if it was revoked since the check a moment ago, also in what the handler continues with. */
async function whilePassed(run: () => Outcome | Promise<Outcome>, otherwise: () => Outcome): Promise<Outcome> {
  try {
    const outcome = await run()
    const { answer } = outcome
    if (answer.kind !== 'continue') return outcome
    return {
      ...outcome,
      answer: { ...answer, run: (state, signal) => whilePassed(() => answer.run(state, signal), otherwise) },
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'api.error.conflict.pass') return otherwise()
    throw error
  }
}

/** The session that was passed for changing factors, if that is not too long ago. */
function passOf(request: OwnRequest, changed: ChangedFactor): string | undefined {
  const { state, context } = request
  const verified = verifiedOf(state, context, narrow(context.mfa.policy, context.mfa.options.devices))
  if (verified?.purpose === 'change_devices') return verified.sessionId
  return changed === 'codes' && isFirstOffer(request) ? verified?.sessionId : undefined
}

/**
 * Whether this very browser has just set up the first factor. The sign-in with it may then make the first recovery codes, if the
 * service agrees: see `mayMakeFirstCodes()` there.
 */
function isFirstOffer({ req, context, state: { offer } }: OwnRequest): boolean {
  return offer?.binding !== undefined && offer.binding === bindingOf(req, context)
}

/** Demands a pass by a factor that counts for this change; users who have none must ask an administrator. */
function demandPass(request: OwnRequest, { factors: acceptedFactors }: ChangeRequirement): Outcome {
  const factors = request.context.mfa.options.devices.factors.filter((factor) => acceptedFactors.includes(factor))
  if (factors.length === 0) return message(request, 403, 'ask_administrator')
  const { offer, passkeyOffer } = request.state
  const giveUpTo = offer || !passkeyOffer ? formPath(request) : passkeyOffer.returnTo
  return demand(request, {
    purpose: 'change_devices',
    factors,
    returnTo: returnPath(request),
    giveUpTo,
    carried: carriedForm(request),
  })
}

export function devicesPath({ context }: WebRequest): string {
  return `${context.base}/devices`
}

/** A page that was asked for is shown after the pass. A form is carried out, or the user returns to its page. */
function returnPath(request: WebRequest): string {
  const { req, context, carried } = request
  return req.method === 'GET' && !carried
    ? context.base + req.path.slice(context.mfa.options.path.length)
    : formPath(request)
}

/** The page of the forms; recovery codes that are offered have their own. */
function formPath(request: WebRequest): string {
  return request.state.offer ? `${request.context.base}/recovery` : devicesPath(request)
}
