import { deviceCode, readOwnFactors } from '../../challenge/own-factors.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { seeOther, sendJson, wantsJson } from '../answer.ts'
import { pollEach, streamOf, whileHeld } from '../change-stream.ts'
import type { ChallengeRequest } from '../challenge-request.ts'
import { goOn } from '../challenge-request.ts'
import { emit } from '../events.ts'
import { devicePage } from '../pages/device-page.ts'
import { changing, devicesPath } from './guarded.ts'
import type { OwnRequest } from './guarded.ts'
import { keepSetup, setupOf } from './setup.ts'

/** `POST /mfa/devices/device`: another device, or a first one for who has something else. The old one stays until then. */
export const offerDevice = changing(async (request) => {
  const { req, context, own } = request
  await keepSetup(request, { device: { before: deviceId(own) } })
  emit(req, context, { type: 'enrolment.offered' })
  goOn(request, `${devicesPath(request)}/device`)
})

/** `GET /mfa/devices/device`: what sets it up, until it is. */
export const showDevice = changing(async (request) => {
  const { req, res, service, own } = request
  const device = setupOf(request)?.device
  if (!device) return seeOther(res, devicesPath(request))
  if (isNew(own, device)) return finish(request, device)
  const code = await deviceCode(service, own)
  if (code === undefined) return seeOther(res, devicesPath(request))
  const page = devicePage(request, { code, baseUrl: service.baseUrl, replaces: device.before !== undefined })
  if (wantsJson(req)) return sendJson(res, 200, { code, link: page.link })
  page.send()
})

/** `POST /mfa/devices/device/cancel`: what there is stays, and the code is worth nothing. */
export const withdrawDevice = changing(async (request) => {
  const { service, own } = request
  await service.client.tokens.withdrawReplacement(service.domainId, own.userId)
  await keepSetup(request, undefined)
  goOn(request, devicesPath(request))
})

export const deviceEvents = streamOf(watch)
export const deviceStatus = whileHeld(watch)

/** Only reads, and looks at nothing but whether the device is there. */
function watch(request: ChallengeRequest, signal: AbortSignal, timeout: number) {
  const device = setupOf(request)?.device
  const isThere = async (service: ConnectedService) => {
    const own = await readOwnFactors(service, request.user)
    return own === undefined || device === undefined || isNew(own, device)
  }
  return pollEach(request, isThere, { signal, timeout })
}

async function finish(request: OwnRequest, { before }: { readonly before?: string | undefined }): Promise<void> {
  const { req, res, context, own } = request
  await keepSetup(request, undefined)
  const id = deviceId(own)
  emit(req, context, { type: before === undefined ? 'factor.added' : 'factor.replaced', kind: 'device', id })
  seeOther(res, `${devicesPath(request)}?done=device`)
}

const deviceId = ({ token }: OwnRequest['own']): string | undefined => token?.device?.id

function isNew({ token }: OwnRequest['own'], { before }: { readonly before?: string | undefined }): boolean {
  return token?.state === 'active' && token.device !== undefined && token.device.id !== before
}
