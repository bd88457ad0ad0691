import { isLastPasskey, removePasskey as removeAtService } from '../../challenge/own-factors.ts'
import { unlessRejected } from '../../challenge/rejection.ts'
import { PasskeyName } from '../../contract/passkeys.ts'
import type { Passkey } from '../../contract/passkeys.ts'
import { message } from '../pages/message.ts'
import { newPasskeyPage } from '../pages/new-passkey-page.ts'
import { withFormToken } from '../request/form.ts'
import type { Outcome } from '../request/outcome.ts'
import { andThen, continueAt, leadTo } from '../request/outcome.ts'
import { canAddPasskeys, relyingPartyOf } from '../request/passkeys.ts'
import { changing, devicesPath, seenByNewer } from './guarded.ts'
import type { ChangeRequest, OwnRequest } from './guarded.ts'
import { rejectNew, startNew, storeNew } from './new-passkey.ts'
import { withNextEpoch } from './next-epoch.ts'
import { setupOf, withSetup } from './setup.ts'

/** `GET /mfa/devices/passkey`: adds a passkey. */
export const showNewPasskey = changing('passkey', (request) => {
  if (!canAddPasskeys(request, request.ownFactors)) return leadTo(request, devicesPath(request))
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
    startNew(saved, saved.service, saved.ownFactors.userId, { challenge, pass: saved.pass }),
  )
})

/** `POST /mfa/devices/passkey`: stores the passkey that the browser has made. */
export const addPasskey = changing('passkey', async (request) => {
  const { service, ownFactors, pass } = request
  const challenge = setupOf(request)?.passkey
  if (challenge === undefined) return rejectNew(request, 'wrong')
  const stored = await storeNew(request, service, ownFactors.userId, { challenge, pass })
  if ('rejection' in stored) return rejectNew(request, stored.rejection)
  const { passkeyOffer, ...state } = { ...request.state, setup: undefined }
  return {
    state: { renew: state },
    events: [{ type: 'factor.added', kind: 'passkey', id: stored.passkey.id }],
    answer: continueAt(request, passkeyOffer?.returnTo ?? `${devicesPath(request)}?done=passkey`),
  }
})

/** `POST /mfa/devices/passkey/name`. Takes no pass: the name is for its user alone, and allows nothing. */
export const renamePasskey = seenByNewer(async (request) => {
  const { service, ownFactors, form } = request
  const passkey = passkeyOf(request)
  const name = PasskeyName.safeParse(form['name'])
  if (!passkey || !name.success) return leadTo(request, devicesPath(request))
  const { client, domainId } = service
  const renaming = client.passkeys.rename(domainId, ownFactors.userId, passkey.id, name.data)
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
  if (isLastPasskey(request.ownFactors, passkey)) return message(request, 409, 'last_factor')
  return withNextEpoch(request, (saved, epoch) => removeNow(saved, passkey, epoch))
})

async function removeNow(request: ChangeRequest, { id }: Passkey, epoch: string): Promise<Outcome> {
  const { service, ownFactors, pass } = request
  if (!(await removeAtService(service, ownFactors, { id, pass, epoch }))) return message(request, 409, 'last_factor')
  return {
    state: 'as-is',
    events: [{ type: 'factor.removed', kind: 'passkey', id }],
    answer: continueAt(request, `${devicesPath(request)}?done=removed`),
  }
}

/** Kept while the setup lasts, so that two tabs can both finish. */
function ceremonyChallenge(request: OwnRequest) {
  const stored = setupOf(request)?.passkey
  if (stored !== undefined) return { challenge: stored, state: request.state }
  const challenge = Buffer.from(request.context.mfa.options.random(16)).toString('base64url')
  return { challenge, state: withSetup(request, { passkey: challenge }) }
}

/** Finds a passkey of this app only: users change those of another app there. */
function passkeyOf(request: OwnRequest): Passkey | undefined {
  const { ownFactors, form } = request
  const rpId = relyingPartyOf(request)?.id
  return ownFactors.passkeys?.find((passkey) => passkey.id === form['passkey'] && passkey.rpId === rpId)
}
