import type { KeptAccount } from './accounts-store.ts'
import type { Outcome } from './screens/outcome.tsx'
import type { Pending } from './use-inbox.ts'

/** What is in front of the person. */
export type Screen =
  | { readonly name: 'home' }
  | { readonly name: 'add'; readonly code?: string | undefined }
  | { readonly name: 'request'; readonly pending: Pending; readonly busy?: boolean; readonly problem?: string }
  | { readonly name: 'outcome'; readonly outcome: Outcome }
  | { readonly name: 'account'; readonly id: string }
  | { readonly name: 'remove'; readonly account: KeptAccount }
  | { readonly name: 'history' }
  | { readonly name: 'settings' }

export const home: Screen = { name: 'home' }

/**
 * The screen that what is pending now leads to: a single request opens by itself, one that is gone leaves.
 * @param left Ids of requests that somebody went back from.
 */
export function follow(screen: Screen, pending: readonly Pending[], left: ReadonlySet<string>, now: number): Screen {
  const [only, ...others] = pending
  if (screen.name === 'home' && only && others.length === 0 && !left.has(only.request.id)) {
    return { name: 'request', pending: only }
  }
  // While an answer is on its way, its request may leave the list before the answer is back.
  if (screen.name !== 'request' || screen.busy || isAmong(pending, screen.pending)) return screen
  const { account, request } = screen.pending
  return { name: 'outcome', outcome: now + account.clockOffset >= request.expiresAt ? 'expired' : 'gone' }
}

function isAmong(pending: readonly Pending[], wanted: Pending): boolean {
  return pending.some(({ request }) => request.id === wanted.request.id)
}
