import type { DeviceRequest } from '../../contract/device.ts'
import { type Account, asksFor } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { approveCommand, sendAnswer } from './answer.ts'
import { canAsk } from './ask.ts'
import { explain, Failure } from './failure.ts'
import { eachNotice, noticeLine } from './notices.ts'
import type { Pending } from './pending.ts'
import { liveWatch } from './live/live-watch.ts'
import { accountName, pinWord, printRequest } from './print.ts'

export interface WatchSettings {
  /** Approves by itself what needs no number. */
  readonly approve: boolean
  /** The state file, for the commands that are suggested. */
  readonly state: string
  readonly signal: AbortSignal
}

/** Where somebody is there, a live list; elsewhere a line for each request as it arrives. Until `signal` aborts. */
export async function watch(device: Device, accounts: readonly Account[], settings: WatchSettings): Promise<void> {
  if (canAsk() && !settings.approve) return liveWatch(device, accounts, settings)
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
    // Nobody may be reading: they stay until somebody dismisses them.
    onNotices: eachNotice(account, (notice) => console.log(noticeLine(notice))),
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
    if (settings.approve) await approve(device, pending, settings)
    else console.log(`To approve: ${approveCommand(pending, settings.state)}`)
  } catch (error) {
    // One request that ended badly does not end the watch.
    console.error(explain(error))
  }
}

/** What needs nothing to be typed; for the rest it says how. */
async function approve(device: Device, pending: Pending, settings: WatchSettings): Promise<void> {
  const { account, request } = pending
  if (request.numberLength === 0 && !asksFor(account)) return sendAnswer(device, pending, 'approve')
  const needed = request.numberLength > 0 ? 'A number' : `The ${pinWord[asksFor(account) ?? 'PIN']}`
  console.log(`${needed} is needed. Type: ${approveCommand(pending, settings.state)}`)
}
