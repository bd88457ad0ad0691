import type { Removable } from '../../challenge/own-factors.ts'
import { pendingCode, readListedBrowsers, remove } from '../../challenge/own-factors.ts'
import { unlessRejected } from '../../challenge/rejection.ts'
import { sentTo } from '../../contract/factor-descriptions.ts'
import { Id } from '../../contract/text.ts'
import { DeviceName } from '../../contract/tokens.ts'
import { message } from '../pages/message.ts'
import { overviewPage } from '../pages/overview-page.ts'
import { wantsJson } from '../request/navigation.ts'
import type { Outcome } from '../request/outcome.ts'
import { continueAt, json, leadTo } from '../request/outcome.ts'
import { relyingPartyOf } from '../request/passkeys.ts'
import { withFormToken } from '../request/form.ts'
import { browserCookie } from '../session/id-cookie.ts'
import { changing, devicesPath, seen, seenByNewer } from './guarded.ts'
import type { ChangeRequest, OwnRequest } from './guarded.ts'
import { withNextEpoch } from './next-epoch.ts'

/** `GET /mfa/devices`: the factors of the user, and what can be changed about them. */
export const showDevices = seen(async (request) => {
  const { req, context, service, ownFactors } = request
  const id = browserCookie.read(req, context)
  const browsers = await readListedBrowsers(service, ownFactors, id)
  if (wantsJson(req)) return { state: 'as-is', answer: json(200, { ...factsOf(request), browsers }) }
  const { token, state } = withFormToken(request)
  return {
    state: state === request.state ? 'as-is' : { save: state },
    answer: overviewPage(request, { ...request, browsers, token }),
  }
})

/** `POST /mfa/devices/name`: renames the device. Takes no pass: the name is for its user alone, and allows nothing. */
export const renameDevice = seenByNewer(async (request) => {
  const { service, ownFactors, form } = request
  const { device } = ownFactors.token ?? {}
  const name = DeviceName.safeParse(form['name'])
  if (!device || !name.success) return leadTo(request, devicesPath(request))
  const { client, domainId } = service
  await unlessRejected(client.tokens.renameDevice(domainId, ownFactors.userId, name.data), 'api.error.notfound.token')
  return {
    state: 'as-is',
    events: [{ type: 'device.renamed', id: device.id }],
    answer: continueAt(request, `${devicesPath(request)}?done=renamed`),
  }
})

/** `POST /mfa/devices/remove`: removes a device, an authenticator app, or a hardware token that was lost. */
export const removeFactor = changing(changedBy, (request) => {
  const factor = removable(request)
  if (!factor) return leadTo(request, devicesPath(request))
  return withNextEpoch(request, (saved, epoch) => removeNow(saved, factor, epoch))
})

/**
 * Users who removed their last factor could not sign in again, and could not be told from an attacker who only knows the
 * password. The service decides, in the transaction that removes it.
 */
async function removeNow(request: ChangeRequest, factor: Removable, epoch: string): Promise<Outcome> {
  const { service, ownFactors, pass } = request
  if (!(await remove(service, ownFactors, { what: factor, pass, epoch, rpId: relyingPartyOf(request)?.id })))
    return message(request, 409, 'last_factor')
  const kind = factor === 'hardware' && ownFactors.hardware?.selfEnrolled ? 'app' : factor
  const id = factor === 'device' ? ownFactors.token?.device?.id : ownFactors.hardware?.id
  return {
    state: 'as-is',
    events: [{ type: 'factor.removed', kind, id }],
    answer: continueAt(request, `${devicesPath(request)}?done=removed`),
  }
}

/**
 * `POST /mfa/devices/forget`: forgets one remembered browser, or all of them. Takes no pass, unless one of them is kept: with a copied
 * cookie, an attacker could lock the user out of an app that accepts no other browser.
 */
export const forgetBrowsers = seenByNewer(async (request, signal) => {
  const { service, ownFactors, form } = request
  const { data: browserId } = Id.safeParse(form['browser'])
  if (browserId === undefined && form['browser'] !== undefined) return leadTo(request, devicesPath(request))
  const browsers = await readListedBrowsers(service, ownFactors, undefined)
  const isKept = browsers.some(
    ({ id, keptUntil }) => keptUntil !== undefined && (browserId === undefined || id === browserId),
  )
  return isKept ? forgetKept(request, signal) : forgetNow(request, undefined)
})

const forgetKept = changing('browsers', (request) => forgetNow(request, request.pass))

async function forgetNow(request: OwnRequest, pass: string | undefined): Promise<Outcome> {
  const { service, ownFactors, form } = request
  const { client, domainId } = service
  const { data: browserId } = Id.safeParse(form['browser'])
  await (browserId === undefined
    ? client.browsers.forgetAll(domainId, ownFactors.userId, pass)
    : unlessRejected(
        client.browsers.forget(domainId, ownFactors.userId, browserId, pass),
        'api.error.notfound.browser',
      ))
  return {
    state: { save: { ...request.state, remembered: undefined } },
    events: [{ type: 'browsers.forgotten' }],
    answer: continueAt(request, `${devicesPath(request)}?done=${browserId === undefined ? 'forgotten' : 'removed'}`),
  }
}

/**
 * `POST /mfa/devices/sessions`: ends every other verified web session of the user, in this app and in every other one of the
 * organization. Takes no pass: ending them is always allowed, and takes no browser that the user keeps.
 */
export const endOthers = seenByNewer((request) =>
  withNextEpoch(request, async (saved, epoch) => {
    const { service, ownFactors, state } = saved
    await service.client.users.endSessions(service.domainId, ownFactors.userId, epoch)
    return {
      state: { save: { ...state, remembered: undefined } },
      events: [{ type: 'sessions.ended' }],
      answer: continueAt(saved, `${devicesPath(saved)}?done=sessions`),
    }
  }),
)

/** Removing the device may take a stronger factor than removing others, because it counts in this domain alone. */
function changedBy({ form }: OwnRequest): Removable {
  return form['what'] === 'device' ? 'device' : 'hardware'
}

function removable({ form, ownFactors }: OwnRequest): Removable | undefined {
  if (form['what'] === 'device' && ownFactors.token?.state === 'active') return 'device'
  return form['what'] === 'hardware' && ownFactors.hardware ? 'hardware' : undefined
}

/** The answer that scripts get. */
function factsOf({ ownFactors }: OwnRequest): object {
  const { token, hardware, recoveryCodes, places } = ownFactors
  const device = token?.state === 'active' ? (token.device ?? {}) : null
  const { id, alias, selfEnrolled = false, lastUsedAt } = hardware ?? {}
  return {
    device,
    pending: pendingCode(ownFactors) ?? null,
    hardware: hardware ? { id, alias, selfEnrolled, lastUsedAt } : null,
    recoveryCodes: recoveryCodes ?? null,
    ...Object.fromEntries(places.map(({ factor, place }) => [sentTo(factor), place])),
  }
}
