import { continueAt } from '../request/web-request.ts'
import { emit } from '../request/events.ts'
import { showMessage } from '../pages/message.ts'
import { forgetThisBrowser } from '../sign-in/remembered.ts'
import { devicesPath, seen } from './guarded.ts'

/** `POST /mfa/devices/forget`: every remembered browser wants the second step again. That is never too late to ask for. */
export const forgetAll = seen(async (request) => {
  const { req, res, context, service, own } = request
  if (service.version === '1.3') return showMessage(req, res, context, 404, 'not_found')
  await service.client.browsers.forgetAll(service.domainId, own.userId)
  await forgetThisBrowser(request)
  emit(req, context, { type: 'browsers.forgotten' })
  continueAt(request, `${devicesPath(request)}?done=forgotten`)
})
