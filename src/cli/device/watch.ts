import { type Account, requiredSecret } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { Failure } from '../terminal/failure.ts'
import { canPrompt } from '../terminal/prompt.ts'
import { approveCommand, promptForAnswer, sendAnswer } from './answer.ts'
import { approveActionCommand, promptForAction } from './answer-action.ts'
import { eachNotice, noticeLine } from './notices.ts'
import type { Pending } from './pending.ts'
import { pinWord } from './pin-word.ts'
import { printRequest } from './print.ts'
import { type PendingAction, printAction } from './print-action.ts'
import { readContent } from '../../device/approvals.ts'
import { accountName } from './account-name.ts'
import { explain } from './problems.ts'

export interface WatchSettings {
  /** Whether to approve requests that need neither number nor PIN. */
  readonly approve: boolean
  /** The state file, for the commands that are printed. */
  readonly state: string
  readonly signal: AbortSignal
}

/** Prints each request as it arrives, until `signal` aborts. At a terminal, asks how to answer it. */
export async function watch(device: Device, accounts: readonly Account[], settings: WatchSettings): Promise<void> {
  let queue = Promise.resolve()
  const enqueue = (pending: Waiting, end: AbortSignal) => {
    queue = queue.then(() => handle(device, pending, end, settings))
  }
  for (const account of accounts) console.log(`Waiting for requests: ${accountName(account)}`)
  const results = await Promise.allSettled(accounts.map((account) => follow(device, account, settings, enqueue)))
  await queue
  if (results.every(({ status }) => status === 'rejected')) throw new Failure('No account is left to watch.')
}

type Waiting = Pending | PendingAction

/** @param enqueue Called once for each request and action, with a signal that aborts when the request is gone. */
async function follow(
  device: Device,
  account: Account,
  settings: WatchSettings,
  enqueue: (pending: Waiting, end: AbortSignal) => void,
): Promise<void> {
  const { signal } = settings
  const onRequests = eachOnce(signal, enqueue)
  const onActions = eachOnce(signal, enqueue)
  const printStatus = (text: string) => console.error(`${accountName(account)}: ${text}`)
  const watching = device.watch(account, {
    signal,
    onChange: (requests) => onRequests(requests.map((request) => ({ id: request.id, pending: { account, request } }))),
    onApprovals: (approvals) =>
      onActions(approvals.map((approval) => ({ id: approval.id, pending: { account, approval } }))),
    onNotices: eachNotice(account, (notice) => {
      console.log(noticeLine(notice))
      // Without a person at the terminal a notice stays until it is dismissed elsewhere. If this fails, it is shown again.
      if (isInteractive(settings)) void device.acknowledge(account, notice.notice).catch(() => undefined)
    }),
    onDisconnect: (error) => printStatus(`${explain(error)} Retrying.`),
    onReconnect: () => printStatus('connected again.'),
  })
  await watching.catch((error: unknown) => {
    printStatus(explain(error))
    throw error
  })
}

/** Enqueues each element of the lists once, the oldest first, and aborts its signal when a list no longer has it. */
function eachOnce(signal: AbortSignal, enqueue: (pending: Waiting, end: AbortSignal) => void) {
  const handled = new Map<string, AbortController>()
  return (list: readonly { readonly id: string; readonly pending: Waiting }[]): void => {
    for (const { id, pending } of list.toReversed()) {
      if (handled.has(id)) continue
      const end = new AbortController()
      handled.set(id, end)
      enqueue(pending, AbortSignal.any([end.signal, signal]))
    }
    const ids = new Set(list.map(({ id }) => id))
    for (const [id, end] of handled) if (!ids.has(id)) end.abort()
  }
}

const isInteractive = ({ approve }: WatchSettings) => canPrompt() && !approve

async function handle(device: Device, pending: Waiting, end: AbortSignal, settings: WatchSettings): Promise<void> {
  if (end.aborted) return
  console.log('')
  try {
    if ('approval' in pending) await handleAction(device, pending, end, settings)
    else await handleRequest(device, pending, end, settings)
  } catch (error) {
    // A request that fails must not end the watch.
    if (!settings.signal.aborted) console.error(explain(error))
  }
}

async function handleRequest(device: Device, pending: Pending, end: AbortSignal, settings: WatchSettings) {
  printRequest(pending)
  if (settings.approve) await approveAutomatically(device, pending, settings)
  else if (isInteractive(settings)) await promptForAnswer(device, pending, { state: settings.state, end })
  else console.log(`To approve: ${approveCommand(pending, settings.state)}`)
}

/** Shows an action and asks about it. `--approve` is for sign-ins alone: a person has to read an action. */
async function handleAction(device: Device, pending: PendingAction, end: AbortSignal, settings: WatchSettings) {
  printAction(pending)
  if (isInteractive(settings)) await promptForAction(device, pending, { state: settings.state, end })
  else if (readContent(pending.approval)) console.log(`To approve: ${approveActionCommand(pending, settings.state)}`)
}

async function approveAutomatically(device: Device, pending: Pending, { state }: WatchSettings): Promise<void> {
  const { account, request } = pending
  if (request.numberLength === 0 && !requiredSecret(account)) return sendAnswer(device, pending, 'approve')
  const needed = request.numberLength > 0 ? 'A number' : `The ${pinWord[requiredSecret(account) ?? 'PIN']}`
  console.log(`${needed} is required. Run: ${approveCommand(pending, state)}`)
}
