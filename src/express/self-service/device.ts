import { deviceCode, isHandedOver, readOwnFactors } from '../../challenge/own-factors.ts'
import { userKeyOf } from '../../challenge/user.ts'
import type { Change, WatchTarget } from '../live/shared-watches.ts'
import { polled } from '../live/shared-watches.ts'
import { devicePage } from '../pages/device-page.ts'
import { wantsJson } from '../request/navigation.ts'
import type { Outcome } from '../request/outcome.ts'
import { andThen, continueAt, json, leadTo, redirect } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { saveUnderOwnId } from '../session/mfa-state.ts'
import { streamOf, whileHeld } from '../sign-in/change-stream.ts'
import { changing, devicesPath, seen, seenByNewer } from './guarded.ts'
import type { ChangeRequest, OwnRequest } from './guarded.ts'
import { nextEpoch } from './next-epoch.ts'
import { setupOf, withSetup } from './setup.ts'

/** `POST /mfa/devices/device`: sets up another device, or a first one. The current one stays until the new one is active. */
export const offerDevice = changing('device', (request) => {
  if (isHandedOver(request.ownFactors)) return leadTo(request, devicesPath(request))
  return {
    state: { renew: withSetup(request, { device: { before: deviceId(request.ownFactors) } }) },
    events: [{ type: 'enrollment.offered' }],
    answer: continueAt(request, `${devicesPath(request)}/device`),
  }
})

/** `GET /mfa/devices/device`: shows the code for the new device until that is active. */
export const showDevice = seen((request, signal) => {
  const device = setupOf(request)?.device
  // By then the old device, which may have approved this change, is out of use.
  if (device && isNew(request.ownFactors, device)) return finish(request, device)
  return showCode(request, signal)
})

/** The code is a secret that changes factors: showing it takes the same pass as the change. */
const showCode = changing('device', (request) => {
  const device = setupOf(request)?.device
  if (!device) return toDevices(request)
  const { epoch, state } = nextEpoch(request)
  return andThen(request, { state: saveUnderOwnId(request.state, userKeyOf(request.user), state) }, (saved) =>
    issueCode(saved, epoch, device.before !== undefined),
  )
})

async function issueCode(request: ChangeRequest, epoch: string, replaces: boolean): Promise<Outcome> {
  const { service, ownFactors, pass, state, user } = request
  const issued = await deviceCode(service, ownFactors, { pass, epoch })
  if (issued === undefined) return toDevices(request)
  const { code, expiresAt } = issued
  const { page, link } = devicePage(request, { ...issued, baseUrl: service.baseUrl, replaces })
  // Signing out withdraws the code.
  const newState = { ...state, shownReplacement: { userKey: userKeyOf(user), until: expiresAt } }
  return {
    state: state.shownReplacement?.until === expiresAt ? 'as-is' : { save: newState },
    answer: wantsJson(request.req) ? json(200, { code, expiresAt, link }) : page,
  }
}

/** `POST /mfa/devices/device/cancel`: withdraws the code. Takes no pass: withdrawing is always allowed. */
export const withdrawDevice = seenByNewer(async (request) => {
  const { service, ownFactors } = request
  await service.client.tokens.withdrawReplacement(service.domainId, ownFactors.userId)
  return { state: { save: withoutDevice(request) }, answer: continueAt(request, devicesPath(request)) }
})

export const deviceEvents = streamOf(watch)
export const deviceStatus = whileHeld(watch)

/** Whether the new device is active. If none is being set up there is nothing to wait for. */
function watch(request: WebRequest): WatchTarget | Change {
  const { context, user } = request
  const device = setupOf(request)?.device
  if (!device) return 'activated'
  const { clock } = context.mfa.options
  return polled(clock, `device after ${device.before ?? 'none'} ${context.userKey}`, async (service) => {
    const ownFactors = await readOwnFactors(service, user)
    return ownFactors === undefined || isNew(ownFactors, device)
  })
}

/** The change is made: a cookie that was copied while the code was shown must not outlast it. */
function finish(request: OwnRequest, { before }: { readonly before?: string | undefined }): Outcome {
  const type = before === undefined ? 'factor.added' : 'factor.replaced'
  return {
    state: { renew: withoutDevice(request) },
    events: [{ type, kind: 'device', id: deviceId(request.ownFactors) }],
    answer: redirect(`${devicesPath(request)}?done=device`),
  }
}

const withoutDevice = ({ state }: WebRequest) => ({ ...state, setup: undefined, shownReplacement: undefined })

const toDevices = (request: WebRequest): Outcome => ({ state: 'as-is', answer: redirect(devicesPath(request)) })

const deviceId = ({ token }: OwnRequest['ownFactors']): string | undefined => token?.device?.id

function isNew({ token }: OwnRequest['ownFactors'], { before }: { readonly before?: string | undefined }): boolean {
  return token?.state === 'active' && token.device !== undefined && token.device.id !== before
}
