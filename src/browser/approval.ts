import { fetchWithin } from './fetch-within.ts'
import { parseUrl } from './parse-url.ts'

/** An action that the user has to approve on a device. */
export interface WaitingApproval {
  readonly id: string
  /** What the user types on the device; absent for users without one, who approve with a passkey on `page`. */
  readonly number?: string
  /** Unix time, seconds. */
  readonly expiresAt: number
  /** The address of a page that shows the number, or takes the passkey. */
  readonly page: string
}

export interface ApprovalOptions {
  /**
   * The origins of your API, if it is not the origin of this page.
   * @default only the origin of this page
   */
  readonly origins?: readonly string[]
  /** Shows the number, and returns a function that hides it again. */
  readonly show: (approval: WaitingApproval) => (() => void) | void
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

/** The server answers within 25 s, so a connection that is silent for longer than this is dead, ms. */
const silentFor = 40_000

/** The pause after an answer that was not held, ms. */
const retryAfter = 2000

/**
 * Waits in this page while the user approves the action that an answer requires. Repeat the same request afterwards.
 *
 * @returns whether it was approved; false for every other answer, which can still be read.
 *
 * @example
 * let answer = await send()
 * if (await waitForApproval(answer, { show })) answer = await send()
 */
export async function waitForApproval(
  answer: Response,
  { origins = [], show, signal }: ApprovalOptions,
): Promise<boolean> {
  const origin = parseUrl(answer.url, location.href)?.origin ?? ''
  if (answer.status !== 403 || (origin !== location.origin && !origins.includes(origin))) return false
  const approval = await approvalIn(answer)
  const status = approval && parseUrl(approval.status, origin)
  if (!approval || !status) return false
  // A development server shows the app at another origin than the app knows.
  const address = origin + status.pathname
  const hide = show(approval)
  try {
    return (await settledState(address, signal)) === 'approved'
  } finally {
    hide?.()
  }
}

async function approvalIn(answer: Response): Promise<(WaitingApproval & { readonly status: string }) | undefined> {
  try {
    const { error, approval } = ((await answer.clone().json()) ?? {}) as { error?: unknown; approval?: unknown }
    if (error !== 'approval_required' || typeof approval !== 'object' || approval === null) return undefined
    return approval as WaitingApproval & { readonly status: string }
  } catch {
    return undefined
  }
}

/** A failed request says nothing about the approval: it is sent again after a pause. */
async function settledState(address: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  for (;;) {
    if (signal?.aborted) return undefined
    const start = performance.now()
    const state = await stateAt(address, signal)
    if (state !== undefined && state !== 'pending') return state
    if (performance.now() - start < retryAfter) await new Promise((resolve) => setTimeout(resolve, retryAfter))
  }
}

async function stateAt(address: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  const request = [
    address,
    { headers: { accept: 'application/json' }, credentials: 'include', redirect: 'manual' },
  ] as const
  return fetchWithin(silentFor, signal, request, readState).catch(() => undefined)
}

async function readState(answer: Response): Promise<string | undefined> {
  // The web session has ended, another one has asked, or the app leads to its login.
  if (answer.status === 401 || answer.status === 404 || answer.type === 'opaqueredirect') return 'lost'
  return answer.ok ? ((await answer.json()) as { readonly state?: string }).state : undefined
}
