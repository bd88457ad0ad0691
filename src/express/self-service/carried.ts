import type { Carried } from '../../challenge/challenge.ts'
import { carriedLifetime } from '../../challenge/challenge.ts'
import type { Answer, Continue, Handler, Outcome } from '../request/outcome.ts'
import { andThen, continueAt, leadTo } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { offerDevice, withdrawDevice } from './device.ts'
import { devicesPath } from './guarded.ts'
import { endOthers, forgetBrowsers, removeFactor, renameDevice } from './overview.ts'
import { removePasskey, renamePasskey } from './passkeys.ts'
import { makeCodes } from './recovery.ts'

/** The forms that can be carried out after a confirmation; `carriedForm()` says which fields are kept. */
const handlers: Readonly<Record<Carried['path'], Handler>> = {
  '/devices/remove': removeFactor,
  '/devices/name': renameDevice,
  '/devices/passkey/name': renamePasskey,
  '/devices/passkey/remove': removePasskey,
  '/devices/device': offerDevice,
  '/devices/device/cancel': withdrawDevice,
  '/devices/forget': forgetBrowsers,
  '/devices/sessions': endOthers,
  '/devices/codes': makeCodes,
}

/** Runs a handler; where a confirmation that it accepts has interrupted a form, continues with that form. */
export function carryingOut(handler: Handler): Handler {
  return async (request, signal) => thenCarryOut(request, await handler(request, signal))
}

function thenCarryOut(request: WebRequest, outcome: Outcome): Outcome {
  const { answer } = outcome
  if (answer.kind === 'carry-out') {
    return andThen(request, outcome, (saved, signal) => carryOut(saved, answer.carried, signal))
  }
  if (answer.kind !== 'continue') return outcome
  return continuing(request, outcome, answer, thenCarryOut)
}

/**
 * Carries out what the user had posted before a confirmation was demanded. The same handler decides as for the form itself, with the
 * same checks. The challenge that held it is passed, so it happens once.
 */
async function carryOut(request: WebRequest, carried: Carried, signal: AbortSignal): Promise<Outcome> {
  const { path, fields, askedAt } = carried
  if (request.context.mfa.options.clock.now() - askedAt > carriedLifetime) return leadTo(request, devicesPath(request))
  return leading(request, await handlers[path]({ ...request, form: fields, carried }, signal))
}

/** The browser is on its way to a page: an answer that is none leads to the page of the user's factors. */
function leading(request: WebRequest, outcome: Outcome): Outcome {
  const { answer } = outcome
  if (answer.kind !== 'continue') return isAddress(answer) ? outcome : { ...outcome, answer: toDevices(request) }
  return continuing(request, outcome, answer, leading)
}

/** What follows the effects is changed as well. */
function continuing(
  request: WebRequest,
  outcome: Outcome,
  { run }: Continue<Answer>,
  change: (request: WebRequest, outcome: Outcome) => Outcome,
): Outcome {
  const runChanged: Continue<Answer>['run'] = async (state, signal) =>
    change({ ...request, state }, await run(state, signal))
  return { ...outcome, answer: { kind: 'continue', run: runChanged } }
}

const isAddress = (answer: Answer): boolean =>
  answer.kind === 'redirect' || (answer.kind === 'json' && Object.hasOwn(Object(answer.body), 'location'))

const toDevices = (request: WebRequest): Answer => continueAt(request, `${devicesPath(request)}?done=changed`)
