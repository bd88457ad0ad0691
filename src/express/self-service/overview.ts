import { pendingCode, remove } from '../../challenge/own-factors.ts'
import type { Removable } from '../../challenge/own-factors.ts'
import { sendJson, wantsJson } from '../request/answer.ts'
import { continueAt } from '../request/web-request.ts'
import { withNextEpoch } from '../sign-in/epochs.ts'
import { emit } from '../request/events.ts'
import { overviewPage } from '../pages/overview-page.ts'
import { showMessage } from '../pages/message.ts'
import { formToken } from './form-token.ts'
import { changing, devicesPath, seen } from './guarded.ts'
import type { ChangeRequest, OwnRequest } from './guarded.ts'

/** `GET /mfa/devices`: what somebody has to pass the second step with, and what can be done about it. */
export const showDevices = seen(async (request) => {
  if (wantsJson(request.req)) return sendJson(request.res, 200, shown(request))
  overviewPage(request, { ...request, token: await formToken(request) })
})

/** `POST /mfa/devices/remove`: gives up a device, an authenticator app, or a hardware token that was lost. */
export const removeFactor = changing(namedBy, async (request) => {
  const { req, res, context, own } = request
  const what = removable(request)
  if (!what) return continueAt(request, devicesPath(request))
  // Users who gave up their last factor could not sign in again, and nobody could tell them from somebody who only knows
  // the password. The service decides, in the transaction that removes it.
  if (!(await removeOther(request, what))) {
    return showMessage(req, res, context, 409, 'last_factor')
  }
  const app = what === 'hardware' && own.hardware?.selfEnrolled ? 'app' : what
  const id = what === 'device' ? own.token?.device?.id : own.hardware?.id
  emit(req, context, { type: 'factor.removed', kind: app, id })
  continueAt(request, `${devicesPath(request)}?done=removed`)
})

/** @returns false where it was the last one by the time. */
function removeOther({ req, context, service, own, pass }: ChangeRequest, what: Removable): Promise<boolean> {
  return withNextEpoch(req, context, (epoch) => remove(service, own, { what, pass, epoch }))
}

/** The device may be removed by more than the rest may: it counts in this domain alone. */
function namedBy({ form }: OwnRequest): Removable {
  return form['what'] === 'device' ? 'device' : 'hardware'
}

function removable({ form, own }: OwnRequest): Removable | undefined {
  if (form['what'] === 'device' && own.token?.state === 'active') return 'device'
  return form['what'] === 'hardware' && own.hardware ? 'hardware' : undefined
}

/** For scripts. */
function shown({ own }: OwnRequest): object {
  const { token, hardware, recoveryCodes, email } = own
  const device = token?.state === 'active' ? (token.device ?? {}) : null
  const { id, alias, selfEnrolled = false } = hardware ?? {}
  return {
    device,
    pending: pendingCode(own) ?? null,
    hardware: hardware ? { id, alias, selfEnrolled } : null,
    recoveryCodes: recoveryCodes ?? null,
    email,
  }
}
