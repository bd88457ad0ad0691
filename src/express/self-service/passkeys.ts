import { startNewPasskey, storePasskey } from '../../challenge/passkey.ts'
import type { PasskeyRejection } from '../../challenge/passkey.ts'
import { isLastPasskey, removePasskey as removeAtService } from '../../challenge/own-factors.ts'
import { unlessRejected } from '../../challenge/rejection.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { PasskeyName } from '../../contract/passkeys.ts'
import type { Passkey } from '../../contract/passkeys.ts'
import { RegistrationResponse } from '../../contract/webauthn.ts'
import { ceremonyOptions, readResponse } from '../pages/ceremony.ts'
import { layoutOf } from '../pages/layout.ts'
import { message } from '../pages/message.ts'
import { newPasskeyPage } from '../pages/new-passkey-page.ts'
import { browserName } from '../request/client-facts.ts'
import { withFormToken } from '../request/form.ts'
import { isPrefetch } from '../request/navigation.ts'
import type { Outcome } from '../request/outcome.ts'
import { andThen, continueAt, json, leadTo, redirect } from '../request/outcome.ts'
import { canAddPasskeys, relyingPartyOf } from '../request/passkeys.ts'
import type { WebRequest } from '../request/web-request.ts'
import { findNewcomer } from '../sign-in/newcomer.ts'
import { changing, devicesPath, seenByNewer } from './guarded.ts'
import type { ChangeRequest, OwnRequest } from './guarded.ts'
import { withNextEpoch } from './next-epoch.ts'
import { setupOf, withSetup } from './setup.ts'

/** `GET /mfa/devices/passkey`: adds a passkey. */
export const showNewPasskey = changing('passkey', (request) => {
  if (!canAddPasskeys(request, request.own)) return leadTo(request, devicesPath(request))
  const { token, state } = withFormToken(request)
  return {
    state: state === request.state ? 'as-is' : { save: state },
    answer: newPasskeyPage(request, { path: 'devices/passkey', token }),
  }
})

/** `POST /mfa/devices/passkey/options`: what the browser needs to make a passkey. */
export const newPasskeyOptions = changing('passkey', (request) => {
  const { challenge, state } = ceremonyChallenge(request)
  const effects = { state: state === request.state ? ('as-is' as const) : { save: state } }
  return andThen(request, effects, (saved) =>
    start(saved, saved.service, saved.own.userId, { challenge, pass: saved.pass }),
  )
})

/** `POST /mfa/devices/passkey`: stores the passkey that the browser has made. */
export const addPasskey = changing('passkey', async (request) => {
  const { service, own, pass } = request
  const challenge = setupOf(request)?.passkey
  if (challenge === undefined) return wrong(request, 'wrong')
  const stored = await store(request, service, own.userId, { challenge, pass })
  if ('rejection' in stored) return wrong(request, stored.rejection)
  const { passkeyOffer, ...state } = { ...request.state, setup: undefined }
  return {
    state: { save: state },
    events: [{ type: 'factor.added', kind: 'passkey', id: stored.passkey.id }],
    answer: continueAt(request, passkeyOffer?.returnTo ?? `${devicesPath(request)}?done=passkey`),
  }
})

/** `POST /mfa/devices/passkey/name`. Takes no pass: the name is for its user alone, and allows nothing. */
export const renamePasskey = seenByNewer(async (request) => {
  const { service, own, form } = request
  const passkey = passkeyOf(request)
  const name = PasskeyName.safeParse(form['name'])
  if (!passkey || !name.success) return leadTo(request, devicesPath(request))
  const { client, domainId } = service
  const renaming = client.passkeys.rename(domainId, own.userId, passkey.id, name.data)
  if ((await unlessRejected(renaming, 'api.error.notfound.passkey')) === undefined)
    return leadTo(request, devicesPath(request))
  return {
    state: 'as-is',
    events: [{ type: 'passkey.renamed', id: passkey.id }],
    answer: continueAt(request, `${devicesPath(request)}?done=passkeyRenamed`),
  }
})

/** `POST /mfa/devices/passkey/remove`. */
export const removePasskey = changing('passkey', (request) => {
  const passkey = passkeyOf(request)
  if (!passkey) return leadTo(request, devicesPath(request))
  if (isLastPasskey(request.own, passkey)) return message(request, 409, 'last_factor')
  return withNextEpoch(request, (saved, epoch) => removeNow(saved, passkey, epoch))
})

async function removeNow(request: ChangeRequest, { id }: Passkey, epoch: string): Promise<Outcome> {
  const { service, own, pass } = request
  if (!(await removeAtService(service, own, { id, pass, epoch }))) return message(request, 409, 'last_factor')
  return {
    state: 'as-is',
    events: [{ type: 'factor.removed', kind: 'passkey', id }],
    answer: continueAt(request, `${devicesPath(request)}?done=removed`),
  }
}

/** `GET /mfa/enroll/passkey`: a passkey as the first factor, during the first sign-in. */
export const showFirstPasskey = byNewcomer((request) => ({
  state: 'as-is',
  answer: newPasskeyPage(request, { path: 'enroll/passkey', token: request.state.challenge?.page ?? '' }),
}))

/** `POST /mfa/enroll/passkey/options`. */
export const firstPasskeyOptions = byNewcomer((request, { service, userId, challenge }) =>
  start(request, service, userId, { challenge, first: true }),
)

/** `POST /mfa/enroll/passkey`. It does not verify the user: using it does. */
export const addFirstPasskey = byNewcomer(async (request, { service, userId, challenge }) => {
  const { context, state } = request
  const stored = await store(request, service, userId, { challenge, first: true })
  if ('rejection' in stored && stored.rejection !== 'too_late') return wrong(request, stored.rejection)
  if ('rejection' in stored) return leadTo(request, context.base)
  const ready = state.challenge && ({ ...state.challenge, enrollment: 'done' } as const)
  return {
    state: { save: { ...state, challenge: ready } },
    events: [{ type: 'factor.added', kind: 'passkey', id: stored.passkey.id }],
    answer: continueAt(request, context.base),
  }
})

interface Newcomer {
  readonly service: ConnectedService
  readonly userId: string
  /** The id of the challenge, to which the ceremony is bound. */
  readonly challenge: string
}

/** Serves users who may set up a first factor, where browsers accept passkeys; others are led back to the challenge. */
function byNewcomer(handler: (request: WebRequest, newcomer: Newcomer) => Outcome | Promise<Outcome>) {
  return async (request: WebRequest): Promise<Outcome> => {
    const { context, state, req } = request
    if (isPrefetch(req)) return message(request, 503, 'not_ahead')
    const found = await findNewcomer(request)
    const { challenge } = state
    if (!found || !challenge || !canAddPasskeys(request, found.newcomer)) {
      return req.method === 'GET' ? { state: 'as-is', answer: redirect(context.base) } : leadTo(request, context.base)
    }
    return handler(request, { service: found.service, userId: found.newcomer.id, challenge: challenge.id })
  }
}

interface Allowed {
  /** Only this value finishes the ceremony; the browser does not know it. */
  readonly challenge: string
  readonly pass?: string
  readonly first?: boolean
}

async function start(
  request: WebRequest,
  service: ConnectedService,
  userId: string,
  allowed: Allowed,
): Promise<Outcome> {
  const party = relyingPartyOf(request)
  if (!party) return ceremonyOptions(request, undefined)
  const { id, origins, name = layoutOf(request).appName } = party
  return ceremonyOptions(request, await startNewPasskey(service, userId, { rp: { id, origins, name }, ...allowed }))
}

function store(request: WebRequest, service: ConnectedService, userId: string, allowed: Allowed) {
  const { form, req } = request
  const response = readResponse(form, RegistrationResponse)
  const named = PasskeyName.safeParse(form['name'])
  const name = named.success ? named.data : browserName(req) || layoutOf(request).words.devices.passkeys.title
  if (!response) return { rejection: 'wrong' } as const
  return storePasskey(service, userId, { response, name, conditional: form['conditional'] === 'yes', ...allowed })
}

/** Kept while the setup lasts, so that two tabs can both finish. */
function ceremonyChallenge(request: OwnRequest) {
  const present = setupOf(request)?.passkey
  if (present !== undefined) return { challenge: present, state: request.state }
  const challenge = Buffer.from(request.context.mfa.options.random(16)).toString('base64url')
  return { challenge, state: withSetup(request, { passkey: challenge }) }
}

/** The script shows the text. */
function wrong(request: WebRequest, rejection: PasskeyRejection): Outcome {
  const { newPasskey, devices } = layoutOf(request).words
  const texts = {
    wrong: newPasskey.wrong,
    present: newPasskey.present,
    full: devices.passkeys.full,
    too_late: newPasskey.wrong,
  }
  return { state: 'as-is', answer: json(409, { error: `passkey_${rejection}`, message: texts[rejection] }) }
}

/** Only the passkeys for this app: those of another one can be changed there. */
function passkeyOf(request: OwnRequest): Passkey | undefined {
  const { own, form } = request
  const rpId = relyingPartyOf(request)?.id
  return own.passkeys?.find((passkey) => passkey.id === form['passkey'] && passkey.rpId === rpId)
}
