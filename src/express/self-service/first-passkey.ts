import type { ConnectedService } from '../../challenge/service.ts'
import { message } from '../pages/message.ts'
import { newPasskeyPage } from '../pages/new-passkey-page.ts'
import { isPrefetch } from '../request/navigation.ts'
import type { Outcome } from '../request/outcome.ts'
import { continueAt, leadTo, redirect } from '../request/outcome.ts'
import { canAddPasskeys } from '../request/passkeys.ts'
import type { WebRequest } from '../request/web-request.ts'
import { findNewcomer } from '../sign-in/newcomer.ts'
import { rejectNew, startNew, storeNew } from './new-passkey.ts'

/** `GET /mfa/enroll/passkey`: a passkey as the first factor, during the first sign-in. */
export const showFirstPasskey = byNewcomer((request) => ({
  state: 'as-is',
  answer: newPasskeyPage(request, { path: 'enroll/passkey', token: request.state.challenge?.page ?? '' }),
}))

/** `POST /mfa/enroll/passkey/options`. */
export const firstPasskeyOptions = byNewcomer((request, { service, userId, challenge }) =>
  startNew(request, service, userId, { challenge, first: true }),
)

/** `POST /mfa/enroll/passkey`. It does not verify the user: using it does. */
export const addFirstPasskey = byNewcomer(async (request, { service, userId, challenge }) => {
  const { context, state } = request
  const stored = await storeNew(request, service, userId, { challenge, first: true })
  if ('rejection' in stored && stored.rejection !== 'too_late') return rejectNew(request, stored.rejection)
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
