import { continueAt } from '../request/web-request.ts'
import { withNextEpoch } from '../sign-in/epochs.ts'
import { emit } from '../request/events.ts'
import { showMessage } from '../pages/message.ts'
import { forgetThisBrowser } from '../sign-in/remembered.ts'
import { devicesPath, seen } from './guarded.ts'

/**
 * `POST /mfa/devices/sessions`: every other web session of the user wants the second step again, in this app and in every
 * other one of the organization. That is never too late to ask for.
 */
export const endOthers = seen(async (request) => {
  const { req, res, context, service, own } = request
  if (service.version === '1.3') return showMessage(req, res, context, 404, 'not_found')
  const { client, domainId } = service
  await withNextEpoch(req, context, (epoch) => client.users.endSessions(domainId, own.userId, epoch))
  await forgetThisBrowser(request)
  emit(req, context, { type: 'sessions.ended' })
  continueAt(request, `${devicesPath(request)}?done=sessions`)
})
