import type { DeviceRequest } from '../../contract/device.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { approveCommand, sendAnswer } from './answer.ts'
import { ask, canAsk } from './ask.ts'
import { explain, Failure } from './failure.ts'
import type { Pending } from './pending.ts'
import { accountName, printRequest } from './print.ts'

export interface WatchSettings {
  /** Approves by itself what needs no number. */
  readonly approve: boolean
  /** The state file, for the commands that are suggested. */
  readonly state: string
  readonly signal: AbortSignal
}

/** Prints each request as it arrives and answers as it is told, one after the other, until `signal` aborts. */
export async function watch(device: Device, accounts: readonly Account[], settings: WatchSettings): Promise<void> {
  let queue = Promise.resolve()
  const enqueue = (pending: Pending, left: AbortSignal) => {
    queue = queue.then(() => handle(device, pending, left, settings))
  }
  for (const account of accounts) console.log(`Waiting for requests: ${accountName(account)}`)
  const results = await Promise.allSettled(accounts.map((account) => follow(device, account, settings.signal, enqueue)))
  await queue
  if (results.every(({ status }) => status === 'rejected')) throw new Failure('No account is left to watch.')
}

/** Follows one account. @param enqueue Called once for each request, with a signal that says that it is gone. */
async function follow(
  device: Device,
  account: Account,
  signal: AbortSignal,
  enqueue: (pending: Pending, left: AbortSignal) => void,
): Promise<void> {
  const present = new Map<string, AbortController>()

  function onChange(requests: readonly DeviceRequest[]): void {
    for (const request of requests.toReversed()) {
      if (present.has(request.id)) continue
      const left = new AbortController()
      present.set(request.id, left)
      enqueue({ account, request }, AbortSignal.any([left.signal, signal]))
    }
    const ids = new Set(requests.map(({ id }) => id))
    for (const [id, left] of present) if (!ids.has(id)) left.abort()
  }

  const tell = (text: string) => console.error(`${accountName(account)}: ${text}`)
  const watching = device.watch(account, {
    signal,
    onChange,
    onTrouble: (error) => tell(`${explain(error)} Still trying.`),
    onReached: () => tell('back.'),
  })
  await watching.catch((error: unknown) => {
    tell(explain(error))
    throw error
  })
}

async function handle(device: Device, pending: Pending, left: AbortSignal, settings: WatchSettings): Promise<void> {
  if (left.aborted) return
  console.log('')
  printRequest(pending)
  try {
    if (settings.approve) await approve(device, pending, left, settings)
    else if (canAsk()) await decide(device, pending, left)
    else console.log(`To approve: ${approveCommand(pending, settings.state)}`)
  } catch (error) {
    // One request that ended badly does not end the watch.
    console.error(explain(error))
  }
}

async function approve(device: Device, pending: Pending, left: AbortSignal, settings: WatchSettings): Promise<void> {
  if (pending.request.numberLength === 0) return sendAnswer(device, pending, 'approve')
  if (!canAsk()) {
    console.log(`A number is needed. Type: ${approveCommand(pending, settings.state)}`)
    return
  }
  const number = await ask('Number shown on the web page: ', left)
  if (number) await sendAnswer(device, pending, 'approve', number)
}

async function decide(device: Device, pending: Pending, left: AbortSignal): Promise<void> {
  const question = pending.request.numberLength > 0 ? 'Number to approve' : 'Type yes to approve'
  const typed = await ask(`${question}, d to deny, r if this was not you: `, left)
  if (typed === undefined) console.log('The request is gone.')
  else if (/^d(eny)?$/i.test(typed)) await sendAnswer(device, pending, 'deny')
  else if (/^r(eport)?$/i.test(typed)) await sendAnswer(device, pending, 'report')
  else if (pending.request.numberLength > 0 && /^\d+$/.test(typed)) await sendAnswer(device, pending, 'approve', typed)
  else if (pending.request.numberLength === 0 && /^y(es)?$/i.test(typed)) await sendAnswer(device, pending, 'approve')
  else console.log('Left as it is.')
}
