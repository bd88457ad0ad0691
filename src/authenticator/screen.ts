import type { StoredAccount } from './accounts/accounts-store.ts'
import { closesItself, type Outcome } from './screens/outcome.tsx'
import { countOf, type Inbox, type Pending, type PendingApproval, type PendingCall } from './inbox/use-inbox.ts'
import type { Report } from './screens/outcome.tsx'

/** The present screen. */
export type Screen =
  | { readonly name: 'home' }
  | { readonly name: 'add'; readonly code?: string | undefined }
  | RequestShown
  | { readonly name: 'call'; readonly pending: PendingCall }
  | { readonly name: 'approval'; readonly pending: PendingApproval }
  | OutcomeShown
  | { readonly name: 'account'; readonly id: string }
  | { readonly name: 'remove'; readonly account: StoredAccount }
  | { readonly name: 'move'; readonly account: StoredAccount }
  | { readonly name: 'practice'; readonly reached: boolean }
  | { readonly name: 'history' }
  | { readonly name: 'settings' }

/** A request, and how far its answer is. */
export interface RequestShown {
  readonly name: 'request'
  readonly pending: Pending
  /** Whether the person denied it and is asked who it was; nothing has been sent. */
  readonly denied?: boolean
  /** Whether an answer is being sent. */
  readonly busy?: boolean
  /** Why the last answer failed. */
  readonly problem?: string | undefined
}

/** How a request ended. */
export interface OutcomeShown {
  readonly name: 'outcome'
  readonly outcome: Outcome
  readonly report?: Report | undefined
  /** The request, where it seems to have ended without an answer. */
  readonly ended?: RequestShown | undefined
}

export const home: Screen = { name: 'home' }

/**
 * The next screen, given the inbox: a single request, call or approval opens automatically, and a request that is gone closes.
 * @param isKept Whether one of them opens only by a press, by its id.
 */
export function follow(
  screen: Screen,
  inbox: Pick<Inbox, 'pending' | 'calls' | 'approvals'>,
  isKept: (id: string) => boolean,
  now: number,
): Screen {
  const { pending, calls, approvals } = inbox
  const [request, call, approval] = [pending[0], calls[0], approvals[0]]
  if (screen.name === 'home' && countOf(inbox) === 1) {
    if (request && !isKept(request.request.id)) return { name: 'request', pending: request }
    if (call && !isKept(call.call.id)) return { name: 'call', pending: call }
    if (approval && !isKept(approval.approval.id)) return { name: 'approval', pending: approval }
  }
  // While an answer is being sent, its request may disappear from the list before the response arrives.
  if (screen.name !== 'request' || screen.busy || isAmong(pending, screen.pending)) return screen
  // An attacker may have canceled the request to keep the person from reporting it. The service still accepts the report.
  if (screen.denied) return screen
  const { account, request: shownRequest } = screen.pending
  const outcome = now + account.clockOffset >= shownRequest.expiresAt ? 'expired' : 'gone'
  return { name: 'outcome', outcome, ended: screen }
}

/** The newest request, if it is newer than the one that is open. It never opens by itself: the person may be typing a number. */
export function newerThan(screen: Screen, [newest]: readonly Pending[]): Pending | undefined {
  if (screen.name !== 'request' || screen.denied || screen.busy || !newest) return undefined
  return newest.request.id === screen.pending.request.id ? undefined : newest
}

/** Whether a request that arrives is announced by a banner: the other screens show it, or do so in a moment. */
export function hasBanner(screen: Screen, { calls, approvals }: Pick<Inbox, 'calls' | 'approvals'>): boolean {
  if (screen.name === 'outcome') return !closesItself(screen.outcome)
  // Once answered, these stay until the person presses OK.
  if (screen.name === 'call') return !calls.some(({ call }) => call.id === screen.pending.call.id)
  if (screen.name === 'approval') return !approvals.some(({ approval }) => approval.id === screen.pending.approval.id)
  return screen.name !== 'home' && screen.name !== 'request'
}

function isAmong(pending: readonly Pending[], candidate: Pending): boolean {
  return pending.some(({ request }) => request.id === candidate.request.id)
}
