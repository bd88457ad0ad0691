import { deviceCode, isHandedOver, readOwnFactors } from '../../challenge/own-factors.ts'
import { userKeyOf } from '../../challenge/user.ts'
import { seeOther, sendJson, wantsJson } from '../request/answer.ts'
import { streamOf, whileHeld } from '../sign-in/change-stream.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { continueAt } from '../request/web-request.ts'
import { nextEpoch } from '../sign-in/epochs.ts'
import { emit } from '../request/events.ts'
import { devicePage } from '../pages/device-page.ts'
import { showMessage } from '../pages/message.ts'
import { polled } from '../live/shared-watches.ts'
import type { Change, Watched } from '../live/shared-watches.ts'
import { changing, devicesPath, seen } from './guarded.ts'
import type { OwnRequest } from './guarded.ts'
import { saveSetup, setupOf } from './setup.ts'
import { saveMfaState, readMfaState, takeOwnSessionId } from '../session/web-session.ts'

/** `POST /mfa/devices/device`: another device, or a first one for who has something else. The old one stays until then. */
export const offerDevice = changing('device', async (request) => {
  const { req, context, own } = request
  if (isHandedOver(own)) return continueAt(request, devicesPath(request))
  await saveSetup(request, { device: { before: deviceId(own) } })
  emit(req, context, { type: 'enrollment.offered' })
  continueAt(request, `${devicesPath(request)}/device`)
})

/** `GET /mfa/devices/device`: what sets it up, until it is. */
export const showDevice = seen(async (request) => {
  const device = setupOf(request)?.device
  // The old device, which may have approved this, is out of use by then.
  if (device && isNew(request.own, device)) return finish(request, device)
  await showCode(request)
})

/** The code is a secret that changes what there is: it takes the pass that the change takes. */
const showCode = changing('device', async (request) => {
  const { req, res, context, user, service, own, pass } = request
  const device = setupOf(request)?.device
  if (!device) return seeOther(res, devicesPath(request))
  await takeOwnSessionId(req, userKeyOf(user))
  const issued = await deviceCode(service, own, { pass, epoch: await nextEpoch(req, context) })
  if (issued === undefined) return seeOther(res, devicesPath(request))
  const { code, expiresAt } = issued
  await saveShownCode(request, expiresAt)
  const page = devicePage(request, { ...issued, baseUrl: service.baseUrl, replaces: device.before !== undefined })
  if (wantsJson(req)) return sendJson(res, 200, { code, expiresAt, link: page.link })
  page.send()
})

/** `POST /mfa/devices/device/cancel`: what there is stays, and the code is worth nothing. That is never too late to ask for. */
export const withdrawDevice = seen(async (request) => {
  const { req, res, context, service, own } = request
  if (service.version === '1.3') return showMessage(req, res, context, 404, 'not_found')
  await service.client.tokens.withdrawReplacement(service.domainId, own.userId)
  await saveSetup(request, undefined)
  await clearShownCode(request)
  continueAt(request, devicesPath(request))
})

export const deviceEvents = streamOf(watch)
export const deviceStatus = whileHeld(watch)

/** Whether the device is there. Without one that is being set up there is nothing to wait for, and nothing to ask. */
function watch(request: ChallengeRequest): Watched | Change {
  const { context, user } = request
  const device = setupOf(request)?.device
  if (!device) return 'activated'
  const { clock } = context.mfa.options
  return polled(clock, `device after ${device.before ?? 'none'} ${context.userKey}`, async (service) => {
    const own = await readOwnFactors(service, user)
    return own === undefined || isNew(own, device)
  })
}

/** Signing out withdraws the code. */
async function saveShownCode({ req, user }: OwnRequest, until: number): Promise<void> {
  const kept = readMfaState(req)
  if (kept.codeShown?.until !== until)
    await saveMfaState(req, { ...kept, codeShown: { userKey: userKeyOf(user), until } })
}

async function clearShownCode({ req }: OwnRequest): Promise<void> {
  await saveMfaState(req, { ...readMfaState(req), codeShown: undefined })
}

async function finish(request: OwnRequest, { before }: { readonly before?: string | undefined }): Promise<void> {
  const { req, res, context, own } = request
  await saveSetup(request, undefined)
  await clearShownCode(request)
  const id = deviceId(own)
  emit(req, context, { type: before === undefined ? 'factor.added' : 'factor.replaced', kind: 'device', id })
  seeOther(res, `${devicesPath(request)}?done=device`)
}

const deviceId = ({ token }: OwnRequest['own']): string | undefined => token?.device?.id

function isNew({ token }: OwnRequest['own'], { before }: { readonly before?: string | undefined }): boolean {
  return token?.state === 'active' && token.device !== undefined && token.device.id !== before
}
