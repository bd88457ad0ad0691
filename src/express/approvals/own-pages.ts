import {
  approveByPasskey,
  cancelApproval,
  contentOf,
  endOfApproval,
  readApproval,
  startApprovalByPasskey,
  whenApprovalSettled,
} from '../../challenge/approval.ts'
import { AuthenticationResponse } from '../../contract/webauthn.ts'
import type { Change, WatchTarget } from '../live/shared-watches.ts'
import { endedApprovalPage } from '../pages/approval-page.ts'
import { ceremonyOptions, readResponse } from '../pages/ceremony.ts'
import { languageFor } from '../pages/languages.ts'
import { message } from '../pages/message.ts'
import type { Handler, Outcome } from '../request/outcome.ts'
import { continueAt, json, redirect } from '../request/outcome.ts'
import { relyingPartyOf } from '../request/passkeys.ts'
import { safeReturnTo } from '../request/return-to.ts'
import type { WebRequest } from '../request/web-request.ts'
import { bindingOf } from '../session/id-cookie.ts'
import { withoutApproval } from '../session/open-approvals.ts'
import type { OpenApproval } from '../session/open-approvals.ts'
import { streamOf, whileHeld } from '../sign-in/change-stream.ts'
import { endName } from './answer.ts'
import { forgetStart } from './start-once.ts'
import { waitingPage } from './waiting-page.ts'

/** `GET /mfa/approve/<id>`: the page that shows the number, for requests of scripts. */
export const showApproval = ofThisBrowser(async (request, open) => {
  const back = backOf(request)
  const approval = await readApproval(await request.context.mfa.connect(), open)
  if (!approval) return message(request, 404, 'not_found')
  const token = request.state.page ?? ''
  if (approval.state === 'pending') {
    return { state: 'detach', answer: await waitingPage(request, { approval, token, back }) }
  }
  const end = endOfApproval(approval)
  const { title, details } = contentOf(approval)
  const view = { action: { title, details }, token, back, end: end ? endName(end) : ('approved' as const) }
  return { state: 'detach', answer: endedApprovalPage(request, view) }
})

/** `GET /mfa/approve/<id>/events`: one event as soon as the approval has settled. */
export const approvalEvents = ofThisBrowser((request, open, signal) =>
  streamOf(() => watchApproval(open))(request, signal),
)

/** `GET /mfa/approve/<id>/status`: `{ state }`, held until the approval has settled, or for 25 seconds. */
export const approvalStatus = ofThisBrowser((request, open, signal) =>
  whileHeld(
    () => watchApproval(open),
    async () => {
      const approval = await readApproval(await request.context.mfa.connect(), open)
      return { state: approval?.state ?? 'cancelled' }
    },
  )(request, signal),
)

/** `POST /mfa/approve/<id>/cancel`: the user gives up, and the approval disappears from the device. */
export const giveUpApproval = ofThisBrowser(async (request, asked) => {
  const { state } = request
  const { id } = asked
  const answer = continueAt(request, backOf(request))
  const service = await request.context.mfa.connect()
  if ((await readApproval(service, asked))?.state !== 'pending') return { state: 'detach', answer }
  await cancelApproval(service, id)
  // The answer of the device may have been first: then it counts, for the app and its events as well.
  if ((await readApproval(service, asked))?.state !== 'cancelled') return { state: 'detach', answer }
  // Other tabs that wait for it are told, and do not ask again.
  const approvals = state.approvals?.map((open) => (open.id === id ? { ...open, ended: true as const } : open))
  return { state: { save: { ...state, approvals } }, events: [{ type: 'approval.cancelled', approvalId: id }], answer }
})

/**
 * `POST /mfa/approve/<id>/again`: the user asks again after an approval has ended. The browser sends the fields of the form on to the
 * address of the action (RFC 9110 section 15.4.8), which asks.
 */
export const askAgain = ofThisBrowser(({ context, state, query }, { id }) => {
  const isPost = query.has('post')
  const address = safeReturnTo(query.get(isPost ? 'post' : 'get'), context.base) ?? `${context.prefix}/`
  forgetStart(id)
  const answer = isPost ? { ...json(307, {}), headers: { Location: address } } : redirect(address)
  return { state: { save: { ...state, approvals: withoutApproval(state.approvals, id) } }, answer }
})

/** `POST /mfa/approve/<id>/passkey/options`: what the browser needs to approve by a passkey. */
export const approvalPasskeyOptions = ofThisBrowser(async (request, { id }) => {
  const { context, user } = request
  const rp = relyingPartyOf(request)
  const service = await context.mfa.connect()
  return ceremonyOptions(request, rp && (await startApprovalByPasskey(service, { id, user, rp })))
})

/** `POST /mfa/approve/<id>/passkey`: a right answer approves. The page notices that, as with a device, and sends the request again. */
export const approveWithPasskey = ofThisBrowser(async (request, { id }) => {
  const { req, context, user, form } = request
  const rp = relyingPartyOf(request)
  const passkey = readResponse(form, AuthenticationResponse)
  const service = await context.mfa.connect()
  if (rp && passkey && (await approveByPasskey(service, { id, user, rp, passkey }))) {
    return { state: 'as-is', answer: json(200, {}) }
  }
  const { notices } = languageFor(req, context).words
  const answer = json(403, { error: 'wrong_passkey', message: notices.wrong_passkey.sentence })
  return { state: 'as-is', events: [{ type: 'passkey.wrong' }], answer }
})

type ApprovalHandler = (request: WebRequest, open: OpenApproval, signal: AbortSignal) => Outcome | Promise<Outcome>

/** Runs only for approvals that this browser has asked for: others that share its web session see nothing of them. */
function ofThisBrowser(handler: ApprovalHandler): Handler {
  return (request, signal) => {
    const open = openApprovalOf(request)
    return open ? handler(request, open, signal) : unknown(request)
  }
}

function openApprovalOf({ req, context, state }: WebRequest): OpenApproval | undefined {
  const binding = bindingOf(req, context)
  const [, id] = /\/approve\/([0-9a-f]{40})(?:\/|$)/.exec(req.path) ?? []
  return state.approvals?.find((open) => open.id === id && open.binding === binding)
}

const unknown = (request: WebRequest): Outcome => message(request, 404, 'not_found')

function watchApproval(open: OpenApproval): WatchTarget | Change {
  const { id, userKey } = open
  return {
    name: `approval ${id} ${userKey}`,
    check: async (service) => ((await readApproval(service, open))?.state === 'pending' ? 'none' : 'settled'),
    async follow(service, signal) {
      await whenApprovalSettled(service, id, signal)
      return 'settled'
    },
  }
}

/** The address at which the user continues, as the page that led here has given it. */
function backOf({ context, form, query }: WebRequest): string {
  const requested = form['back'] ?? query.get('back')
  return safeReturnTo(requested, context.base) ?? `${context.prefix}/`
}
