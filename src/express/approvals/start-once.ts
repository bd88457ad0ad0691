import type { Approval } from '../../contract/approvals.ts'
import type { NotAsked } from '../../challenge/approval.ts'
import type { Clock } from '../../ground/clock.ts'
import type { OpenApproval } from '../session/open-approvals.ts'

/** What asking has led to. */
export type Started =
  | { readonly open: OpenApproval; readonly approval: Approval; readonly notAsked?: never }
  | { readonly notAsked: NotAsked; readonly open?: never }

interface Start {
  readonly started: Promise<Started>
  /** The id of the approval, once the service has said it. */
  id?: string | undefined
}

/** How long a start is remembered, ms: longer than storing a web session takes. */
const rememberedFor = 2_000

/** Starts by everything that their approval is bound to. */
const starts = new Map<string, Start>()

/**
 * Asks for an approval. Requests that arrive at the same moment ask once: none of them has loaded what the other one saves in the web
 * session.
 *
 * @returns also whether this was the request that asked.
 */
export async function startOnce(
  name: string,
  clock: Clock,
  ask: () => Promise<Started>,
): Promise<Started & { readonly isFirst: boolean }> {
  const running = starts.get(name)
  if (running) return { ...(await running.started), isFirst: false }
  const start: Start = { started: ask() }
  starts.set(name, start)
  const forget = () => void (starts.get(name) === start && starts.delete(name))
  try {
    const started = await start.started
    start.id = started.open?.id
    if (started.open) clock.after(rememberedFor, forget)
    else forget()
    return { ...started, isFirst: true }
  } catch (error) {
    forget()
    throw error
  }
}

/** Once an approval is settled, the next request with the same action asks again. */
export function forgetStart(approvalId: string): void {
  for (const [name, { id }] of starts) if (id === approvalId) starts.delete(name)
}
