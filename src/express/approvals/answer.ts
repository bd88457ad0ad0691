import { hostOf } from '../framework/host.ts'
import type { NotAsked } from '../../challenge/approval.ts'
import type { Approval } from '../../contract/approvals.ts'
import type { ApprovalEnd, Repeat } from '../pages/approval-page.ts'
import { endedApprovalPage } from '../pages/approval-page.ts'
import { loadLanguageFor } from '../pages/languages.ts'
import { message } from '../pages/message.ts'
import { isTrustedPost } from '../request/form.ts'
import { isHtmx, isNavigation, isPrefetch, isTurbo } from '../request/navigation.ts'
import type { Answer, Outcome } from '../request/outcome.ts'
import { redirect } from '../request/outcome.ts'
import { safeReturnTo } from '../request/return-to.ts'
import type { WebRequest } from '../request/web-request.ts'
import type { Decision, End } from './decide.ts'
import { fieldsOf } from './form-fields.ts'
import { parsedBody } from './posted-body.ts'
import { waitingPage } from './waiting-page.ts'

type Unapproved = Exclude<Decision, { readonly kind: 'approved' }>

/**
 * Refuses to ask for what another site made the browser send: the page sends the fields again from this origin, which would get them past
 * a protection of the app that looks at the origin. What another site only embeds, such as an image, would use up how often a person is
 * asked; its links are followed. Nor is anybody asked for what a browser loads ahead.
 *
 * @returns undefined for all other requests.
 */
export async function refusal(request: WebRequest): Promise<Outcome | undefined> {
  const { req, context } = request
  if (isPrefetch(req)) {
    await loadLanguageFor(req, context)
    return message(request, 503, 'not_ahead')
  }
  if (!isFromElsewhere(request)) return undefined
  await loadLanguageFor(req, context)
  const events = isSafe(request) ? [] : [{ type: 'post.refused', path: req.path } as const]
  return { ...message(request, 403, 'cross_site'), events }
}

const isSafe = ({ req: { method } }: WebRequest) => method === 'GET' || method === 'HEAD'

function isFromElsewhere(request: WebRequest): boolean {
  const { req, context } = request
  const { publicUrl, returnOrigins } = context.mfa.options
  if (isTrustedPost(req, { token: undefined, expected: undefined, publicUrl })) return false
  if (isNavigation(req)) return !isSafe(request)
  const { origin, 'sec-fetch-site': site } = req.headers
  // Pages of the app at other origins send data by scripts. Clients that are no browsers say neither.
  return (origin !== undefined || site !== undefined) && !returnOrigins.includes(String(origin))
}

/** Answers a request that has no approval yet: pages wait for it and send the request again, scripts are told. */
export async function answerUnapproved(request: WebRequest, decision: Unapproved): Promise<Answer> {
  const { req, context } = request
  await loadLanguageFor(req, context)
  const repeat = repeatOf(request)
  if (repeat) return pageFor(request, decision, repeat)
  const path = ownPage(request, decision)
  if (path !== undefined && isTurbo(req)) return redirect(path)
  const { body, headers } = refusalBody(request, decision)
  const opened = path !== undefined && isHtmx(req) ? { 'HX-Redirect': path } : {}
  return { kind: 'json', status: 403, body, headers: { ...headers, ...opened } }
}

/** How the page sends this request again; undefined for requests of scripts, and for what no form can send. */
export function repeatOf(request: WebRequest): Repeat | undefined {
  const { req, context } = request
  const address = safeReturnTo(context.prefix + req.originalUrl, context.base)
  if (!isNavigation(req) || isTurbo(req) || isHtmx(req) || address === undefined) return undefined
  if (isSafe(request)) return { address }
  const type = req.headers['content-type']
  if (type === undefined) return { address, fields: [] }
  const fields = /^application\/x-www-form-urlencoded\b/i.test(type) ? fieldsOf(parsedBody(req)) : undefined
  return fields && { address, fields }
}

async function pageFor(request: WebRequest, decision: Unapproved, repeat: Repeat): Promise<Answer> {
  const back = backFrom(request)
  if (decision.kind === 'waiting') {
    const { approval, token } = decision
    return waitingPage(request, { approval, token, repeat, back })
  }
  const { action } = decision
  const again = decision.kind === 'ended' ? againBy(request, decision.id, repeat) : repeat
  const end = decision.kind === 'ended' ? endName(decision.end) : decision.notAsked.kind
  const until = decision.kind === 'not_asked' ? untilOf(decision.notAsked) : undefined
  return endedApprovalPage(request, { action, token: '', repeat: again, back, end, until })
}

/** The user asks again: our address removes what has ended, and leads the browser back with the same fields. */
function againBy({ context }: WebRequest, id: string, { address, fields }: Repeat): Repeat {
  const query = `${fields ? 'post' : 'get'}=${encodeURIComponent(address)}`
  return { address: `${context.base}/approve/${id}/again?${query}`, fields: fields ?? [] }
}

const untilOf = (notAsked: NotAsked) => (notAsked.kind === 'throttled' ? notAsked.until : undefined)

export function endName({ state, reason }: NonNullable<End>): ApprovalEnd {
  if (state !== 'denied') return state
  return reason === 'reported' || reason === 'wrong_number' ? reason : 'denied'
}

/** The page that the user came from, or the start page of the app. */
export function backFrom({ req, context }: WebRequest): string {
  const { host, base, prefix } = context
  const page = URL.parse(req.headers.referer ?? '')
  const isOwn = page && page.host === (host ?? hostOf(req))
  const path = isOwn ? safeReturnTo(page.pathname + page.search, base) : undefined
  return path === undefined || path === prefix + req.originalUrl ? `${prefix}/` : path
}

/** The path of the page on which users see the number, for scripts that do not show it themselves. */
function ownPage(request: WebRequest, decision: Unapproved): string | undefined {
  if (decision.kind !== 'waiting') return undefined
  const { base } = request.context
  return `${base}/approve/${decision.approval.id}?back=${encodeURIComponent(backFrom(request))}`
}

/** What a script can act on. */
export interface Refusal {
  readonly error: 'approval_required' | 'approval_denied' | 'approval_unavailable'
  readonly approval?: RefusedApproval
  /** Why nobody was asked, or how it ended. */
  readonly reason?: ApprovalEnd
  /** Unix time, seconds: the next request is possible then. */
  readonly until?: number
  readonly message: string
}

/** An approval that is waited for. */
export interface RefusedApproval {
  readonly id: string
  readonly state: 'pending'
  /** What the user has to type on the device; absent where no number is asked for. */
  readonly number?: string
  readonly expiresAt: number
  /** The address that says `{ state }`, held for up to 25 seconds. */
  readonly status: string
  /** The address of a page that shows the number. */
  readonly page: string
}

/** Without a number, there is nothing to show: the user approves on the device, or with a passkey on the page. */
const requiredMessage = ({ number }: Approval): string => {
  const how = number === undefined ? 'lead the user to "page", or to the device' : 'show the number'
  return `The user has to approve this action first: ${how}, wait for "status", then repeat the request.`
}

const messages = {
  approval_denied: 'The action was not approved. The next request asks again.',
  approval_unavailable: 'The user cannot be asked to approve this action.',
} as const

export function refusalBody(
  request: WebRequest,
  decision: Unapproved,
): { body: Refusal; headers: Record<string, string> } {
  if (decision.kind === 'waiting') {
    const error = 'approval_required'
    const approval = refusedApproval(request, decision.approval)
    // A header reaches scripts that cannot read the body.
    const required = requiredMessage(decision.approval)
    return { body: { error, approval, message: required }, headers: { 'MFA-Approval': approval.page } }
  }
  if (decision.kind === 'ended') {
    const error = 'approval_denied'
    return { body: { error, reason: endName(decision.end), message: messages[error] }, headers: {} }
  }
  const error = 'approval_unavailable'
  const until = untilOf(decision.notAsked)
  const now = request.context.mfa.options.clock.now()
  const headers: Record<string, string> = until === undefined ? {} : { 'Retry-After': String(Math.max(1, until - now)) }
  const reason = decision.notAsked.kind
  return { body: { error, reason, ...(until === undefined ? {} : { until }), message: messages[error] }, headers }
}

function refusedApproval({ context }: WebRequest, { id, number, expiresAt }: Approval): RefusedApproval {
  const { publicUrl } = context.mfa.options
  const address = (publicUrl === undefined ? '' : new URL(publicUrl).origin) + `${context.base}/approve/${id}`
  return {
    id,
    state: 'pending',
    ...(number === undefined ? {} : { number }),
    expiresAt,
    status: `${address}/status`,
    page: address,
  }
}
