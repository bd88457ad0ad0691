import { devicePaths, Inbox } from '../contract/device.ts'
import { readEvents } from '../contract/read-events.ts'
import type { Account } from './account.ts'
import { DeviceError } from './device-error.ts'
import type { DeviceContext } from './options.ts'
import { signedCall } from './signed-call.ts'

/** The first event comes with the answer. Where neither comes, something on the way collects answers; milliseconds. */
const firstWithin = 5_000
/** The service says something each 25 s. After this the connection is dead; milliseconds. */
const longestSilence = 60_000

/**
 * Follows the inbox by an event stream until that ends or breaks.
 *
 * @param onInbox Called with the inbox at the start and whenever it changes.
 * @returns whether there was an event at all.
 * @throws {DeviceError} when the service refuses or cannot be reached. The caller's own abort is thrown as it is.
 */
export async function followInbox(
  context: DeviceContext,
  account: Account,
  { onInbox, signal }: { readonly onInbox: (inbox: Inbox) => void; readonly signal: AbortSignal },
): Promise<boolean> {
  const dead = new AbortController()
  let stopTimer = () => {}
  const expectWithin = (milliseconds: number) => {
    stopTimer()
    stopTimer = context.clock.after(milliseconds, () => dead.abort())
  }
  let heard = false
  expectWithin(firstWithin)
  try {
    const response = await signedCall(context, account, {
      method: 'GET',
      path: devicePaths.requests,
      headers: { accept: 'text/event-stream, application/json;q=0.9' },
      stream: true,
      signal: AbortSignal.any([signal, dead.signal]),
    })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (!isStream || !response.body) return false
    for await (const events of readEvents(response.body)) {
      for (const data of events) onInbox(readInbox(data))
      heard ||= events.length > 0
      if (heard) expectWithin(longestSilence)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof DeviceError) throw error
    // It was silent for too long, or broke off, as streams do.
  } finally {
    stopTimer()
    // What is still open, such as an answer that is no stream.
    dead.abort()
  }
  return heard
}

function readInbox(data: string): Inbox {
  const parsed = Inbox.safeParse(parseJson(data))
  if (parsed.success) return parsed.data
  throw new DeviceError('bad_response', 'unexpected content of an event', { cause: parsed.error })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
