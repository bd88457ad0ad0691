import type { Action } from '../../challenge/approval.ts'
import { escapedText } from '../../ground/visible-text.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { formatDuration } from '../../contract/format-duration.ts'
import type { Message } from '../messages/messages.ts'
import type { Page } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { layoutOf, page } from './layout.ts'
import { authenticatorAddress } from './link.ts'

/** How the browser sends the request again that waits for an approval. */
export interface Repeat {
  /** The path and the query on this origin. */
  readonly address: string
  /** Undefined where opening the address is enough. */
  readonly fields?: readonly { readonly name: string; readonly value: string }[] | undefined
}

/** The data that a page about an approval shows. */
interface ApprovalView {
  readonly action: Action
  /** The token of its forms. */
  readonly token: string
  /** Absent on the page of its own, which scripts have opened. */
  readonly repeat?: Repeat | undefined
  /** Where "Back" leads. */
  readonly back: string
}

export interface WaitingApproval extends ApprovalView {
  readonly id: string
  readonly number: string | undefined
  readonly createdAt: number
  readonly expiresAt: number
  readonly offersPasskey: boolean
  readonly service: ConnectedService
}

/** The page that waits for an approval. */
export function waitingApprovalPage(request: WebRequest, view: WaitingApproval): Page {
  const { context } = request
  const layout = layoutOf(request)
  const words = layout.words.approval
  const { id, number, offersPasskey, createdAt, expiresAt, service } = view
  const now = context.mfa.options.clock.now()
  const device = number === undefined ? words.withoutNumber : words.withNumber
  return approvalPage(request, view, {
    live: true,
    // It must not load another page by itself: without a script, only its form sends the fields again.
    typing: view.repeat !== undefined,
    liveBase: `${layout.base}/approve/${id}`,
    headline: offersPasskey ? words.headlinePasskey : words.headline,
    sentence: offersPasskey ? words.byPasskey : device,
    number,
    offersPasskey,
    usesPasskeys: offersPasskey,
    cancel: `${layout.base}/approve/${id}/cancel`,
    // The authenticator opens an action that waits alone.
    link: offersPasskey ? undefined : authenticatorAddress(request, service),
    left: Math.max(0, expiresAt - now),
    total: expiresAt - createdAt,
    again: words.goOn,
    isPending: true,
  })
}

/** How an approval ended, or why nobody was asked. */
export type ApprovalEnd =
  | 'denied'
  | 'reported'
  | 'wrong_number'
  | 'expired'
  | 'cancelled'
  | 'used'
  | 'approved'
  | 'no_device'
  | 'blocked'
  | 'throttled'

export interface EndedApprovalView extends ApprovalView {
  readonly end: ApprovalEnd
  /** Unix time, seconds: the next request is possible then. */
  readonly until?: number | undefined
}

/** The page that says why the action was not carried out. */
export function endedApprovalPage(request: WebRequest, view: EndedApprovalView): Page {
  const layout = layoutOf(request)
  const words = layout.words.approval
  const { end, until = 0 } = view
  const now = request.context.mfa.options.clock.now()
  const texts: Message = words.ended[end === 'throttled' ? 'denied' : end]
  const wait = formatDuration(layout.language.tag, Math.max(1, until - now))
  const isDevices = end === 'no_device'
  return approvalPage(request, view, {
    headline: end === 'throttled' ? layout.words.throttled.headline : texts.headline,
    sentence: end === 'throttled' ? words.throttled(wait) : texts.sentence,
    alarming: end === 'reported',
    devices: isDevices ? `${layout.base}/devices` : undefined,
    again: mayAskAgain.has(end) ? words.again : undefined,
    isPending: false,
  })
}

const mayAskAgain: ReadonlySet<ApprovalEnd> = new Set([
  'denied',
  'wrong_number',
  'expired',
  'cancelled',
  'used',
  'throttled',
])

function approvalPage(
  request: WebRequest,
  { action, token, repeat, back }: ApprovalView,
  parts: Readonly<Record<string, unknown>> & { readonly headline: string },
): Page {
  const layout = layoutOf(request)
  const { again, ...rest } = parts
  const model = {
    ...layout,
    // The app decides where its own form leads: blocked there, users would see this page after the action was run.
    formTargets: repeat?.fields ? ['*'] : layout.formTargets,
    span: (seconds: number) => formatDuration(layout.language.tag, seconds),
    token,
    action: asShown(action),
    repeat,
    back,
    backTo: layout.words.approval.back(layout.appName),
    again: repeat && again,
    ...rest,
  }
  // Not `no-referrer`: browsers would send the form again with `Origin: null`, which an app's own protection may refuse.
  return page(200, 'approval', model, { 'Referrer-Policy': 'same-origin' })
}

/** Where a passkey approves, only this page shows the action: like a device, it shows characters that nobody sees by their numbers. */
const asShown = ({ title, details }: Action): Action => ({
  title: escapedText(title),
  details: details.map(({ label, value }) => ({ label: escapedText(label), value: escapedText(value) })),
})
