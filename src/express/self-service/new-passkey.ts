import { startNewPasskey, storePasskey } from '../../challenge/passkey.ts'
import type { PasskeyRejection } from '../../challenge/passkey.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { PasskeyName } from '../../contract/passkeys.ts'
import { RegistrationResponse } from '../../contract/webauthn.ts'
import { ceremonyOptions, readResponse } from '../pages/ceremony.ts'
import { layoutOf } from '../pages/layout.ts'
import { browserName } from '../request/client-facts.ts'
import type { Outcome } from '../request/outcome.ts'
import { json } from '../request/outcome.ts'
import { relyingPartyOf } from '../request/passkeys.ts'
import type { WebRequest } from '../request/web-request.ts'

/** The permission for a new passkey: a pass for that, or that it is the first factor. */
export interface Allowed {
  /** Only this value finishes the ceremony; the browser does not know it. */
  readonly challenge: string
  readonly pass?: string
  readonly first?: boolean
}

/** The options that the browser needs to create a passkey. */
export async function startNew(
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

/** Stores the passkey that the browser has made. */
export function storeNew(request: WebRequest, service: ConnectedService, userId: string, allowed: Allowed) {
  const { form, req } = request
  const response = readResponse(form, RegistrationResponse)
  const parsedName = PasskeyName.safeParse(form['name'])
  const name = parsedName.success ? parsedName.data : browserName(req) || layoutOf(request).words.devices.passkeys.title
  if (!response) return { rejection: 'wrong' } as const
  return storePasskey(service, userId, { response, name, conditional: form['conditional'] === 'yes', ...allowed })
}

/** Why there is no new passkey. The script shows the text. */
export function rejectNew(request: WebRequest, rejection: PasskeyRejection): Outcome {
  const { newPasskey, devices } = layoutOf(request).words
  const texts = {
    wrong: newPasskey.wrong,
    present: newPasskey.present,
    full: devices.passkeys.full,
    too_late: newPasskey.wrong,
  }
  return { state: 'as-is', answer: json(409, { error: `passkey_${rejection}`, message: texts[rejection] }) }
}
