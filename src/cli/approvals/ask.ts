import type { Client } from '../../client/client.ts'
import { ApiError, UnreachableError } from '../../client/errors.ts'
import type { Approval } from '../../contract/approvals.ts'
import { commandClock, pause } from '../../ground/clock.ts'
import { Failure } from '../terminal/failure.ts'
import { dateOf, printJson } from '../terminal/print.ts'
import { asFailure, connect } from './connection.ts'
import type { ConnectionSettings } from './connection.ts'
import type { AskSettings } from './new-approval.ts'
import { newApproval } from './new-approval.ts'
import { visible } from './visible.ts'

/** How `ask` ends, for scripts. Whatever leaves the outcome open, also a wrong option, is `unknown`. */
export const askExitCode = Object.freeze({ approved: 0, denied: 1, expired: 2, unknown: 3 })

/** The time until an approval is read again, also where no event came; ms. */
const rereadInterval = 15_000
/** The pause after a read that failed, ms. */
const retryPause = 2_000
/** How long after its expiry an approval is still read, where the service does not respond; s. */
const patience = 30

/** Asks for an approval, waits for it, and prints it. @returns the exit code. */
export async function ask(settings: AskSettings & ConnectionSettings & { readonly domain: string }): Promise<number> {
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  // The second signal ends the process as usual.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
  try {
    return await askUntil(interruption.signal, settings)
  } catch (error) {
    const failure = asFailure(error)
    const message = failure instanceof Failure ? failure.message : 'Unexpected error. Try again.'
    throw new Failure(message, askExitCode.unknown, { cause: error })
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, interrupt)
  }
}

async function askUntil(
  interruption: AbortSignal,
  settings: AskSettings & ConnectionSettings & { readonly domain: string },
): Promise<number> {
  const [client, { domain }] = [connect(settings), settings]
  const approval = await client.approvals.create(domain, await newApproval(client, settings))
  const people = approval.approvers.map(({ user }) => visible(user.username)).join(', ')
  const needed = approval.approvers.length > 1 ? ` (${approval.needed} of ${approval.approvers.length})` : ''
  say(`Waiting for the approval of ${people}${needed}, until ${dateOf(approval.expiresAt)}. Ctrl-C cancels it.`)
  try {
    return report(await settled(client, domain, approval, interruption))
  } catch (error) {
    if (!interruption.aborted) throw error
    throw new Failure(await cancel(client, domain, approval))
  }
}

/** Cancels the approval after Ctrl-C. @returns what has become of it. */
async function cancel(client: Client, domain: string, { id, expiresAt }: Approval): Promise<string> {
  try {
    await client.approvals.cancel(domain, id)
    const { state } = await client.approvals.get(domain, id)
    return state === 'cancelled' ? 'Canceled.' : `Too late to cancel: ${state} already.`
  } catch (error) {
    const failure = asFailure(error)
    if (!(failure instanceof Failure)) throw error
    return `Not canceled: people can answer until ${dateOf(expiresAt)}. ${failure.message}`
  }
}

/** Waits until the approval settles, and names each person who answers meanwhile. */
async function settled(client: Client, domain: string, created: Approval, signal: AbortSignal): Promise<Approval> {
  const named = new Set<string>()
  let approval = created
  while (approval.state === 'pending') {
    try {
      approval = await client.approvals.wait(domain, created.id, { timeout: rereadInterval, signal })
      for (const { user, decision } of approval.approvers) {
        if (decision === undefined || named.has(user.id)) continue
        named.add(user.id)
        say(`${visible(user.username)} ${answers[decision]}.`)
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!isTemporary(error) || commandClock.now() > created.expiresAt + patience) throw error
      await pause(commandClock, retryPause, signal)
    }
  }
  return approval
}

const answers = { approve: 'approved', deny: 'denied', report: 'said that they did not ask for this' } as const

/** A service that restarts is asked again. */
const isTemporary = (error: unknown): boolean =>
  (error instanceof UnreachableError && error.reason !== 'bad_response') ||
  (error instanceof ApiError && error.status >= 500)

function report(approval: Approval): number {
  printJson(approval)
  say(`${outcomes[approval.state]}${approval.reason ? ` (${approval.reason})` : ''}.`)
  const { state } = approval
  return state === 'approved' || state === 'denied' || state === 'expired' ? askExitCode[state] : askExitCode.unknown
}

const outcomes: Readonly<Record<Approval['state'], string>> = {
  pending: 'Pending',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  cancelled: 'Canceled',
}

/** Standard output is the approval alone. */
const say = (line: string): void => console.error(line)
