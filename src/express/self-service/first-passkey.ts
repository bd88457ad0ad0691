import { findMember } from '../../challenge/user.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { ApiError } from '../../client/errors.ts'
import type { User } from '../../contract/users.ts'
import { message } from '../pages/message.ts'
import { newPasskeyPage } from '../pages/new-passkey-page.ts'
import { isPrefetch } from '../request/navigation.ts'
import type { Outcome } from '../request/outcome.ts'
import { continueAt, leadTo, redirect } from '../request/outcome.ts'
import { canAddPasskeys } from '../request/passkeys.ts'
import type { WebRequest } from '../request/web-request.ts'
import { passkeyPassOf } from '../sign-in/handed-over-code.ts'
import { findNewcomer } from '../sign-in/newcomer.ts'
import { rejectNew, startNew, storeNew } from './new-passkey.ts'
import type { Allowed } from './new-passkey.ts'

/** `GET /mfa/enroll/passkey`: a passkey as the first factor, or in place of a lost one, during a sign-in. */
export const showFirstPasskey = byEntitled((request) => ({
  state: 'as-is',
  answer: newPasskeyPage(request, { path: 'enroll/passkey', token: request.state.challenge?.page ?? '' }),
}))

/** `POST /mfa/enroll/passkey/options`. */
export const firstPasskeyOptions = byEntitled((request, { service, member, allowed }) =>
  startNew(request, service, member.id, allowed),
)

/** `POST /mfa/enroll/passkey`. It does not verify the user: using it does. */
export const addFirstPasskey = byEntitled(async (request, { service, member, allowed }) => {
  const { context, state } = request
  const stored = await storeNew(request, service, member.id, allowed)
  if ('rejection' in stored && stored.rejection !== 'too_late') return rejectNew(request, stored.rejection)
  if ('rejection' in stored) return leadTo(request, context.base)
  const isFirst = allowed.first === true
  const ready = state.challenge && { ...state.challenge, ...(isFirst && { enrollment: 'done' as const }) }
  return {
    state: { save: { ...state, challenge: ready, passkeyPass: undefined } },
    events: [{ type: 'factor.added', kind: 'passkey', id: stored.passkey.id }],
    answer: continueAt(request, context.base),
  }
})

interface Entitled {
  readonly service: ConnectedService
  readonly member: User
  /** Bound to the challenge of the web session. */
  readonly allowed: Allowed
}

/** Serves users who may add a passkey before they sign in, where browsers accept passkeys; others are led back to the challenge. */
function byEntitled(handler: (request: WebRequest, entitled: Entitled) => Outcome | Promise<Outcome>) {
  return async (request: WebRequest): Promise<Outcome> => {
    if (isPrefetch(request.req)) return message(request, 503, 'not_ahead')
    const entitled = await findEntitled(request)
    if (!entitled || !canAddPasskeys(request, entitled.member)) return leadBack(request)
    try {
      return await handler(request, entitled)
    } catch (error) {
      // The pass has expired, or an administrator has withdrawn it.
      if (error instanceof ApiError && error.code === 'api.error.conflict.pass') return leadBack(request)
      throw error
    }
  }
}

/** A user with the code of an administrator, or one who may set up a first factor. */
async function findEntitled(request: WebRequest): Promise<Entitled | undefined> {
  const { context, user, state } = request
  if (!state.challenge) return undefined
  const { id: challenge } = state.challenge
  const pass = passkeyPassOf(request)
  if (pass === undefined) {
    const newcomer = await findNewcomer(request)
    return newcomer && { service: newcomer.service, member: newcomer.newcomer, allowed: { challenge, first: true } }
  }
  const service = await context.mfa.connect()
  const member = await findMember(service, user)
  return member && { service, member, allowed: { challenge, pass } }
}

function leadBack(request: WebRequest): Outcome {
  const { context, req } = request
  return req.method === 'GET' ? { state: 'as-is', answer: redirect(context.base) } : leadTo(request, context.base)
}
