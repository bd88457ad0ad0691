import { devicePaths } from '../contract/device.ts'
import { Inbox } from '../contract/device-answers.ts'
import { readEvents } from '../contract/read-events.ts'
import { parseJson } from '../contract/validate.ts'
import type { Account } from './account.ts'
import { DeviceError } from './device-error.ts'
import type { DeviceContext } from './options.ts'
import { signedCall } from './signed-call.ts'

/** The service sends the first event at once. If it does not arrive, a proxy buffers the stream; milliseconds. */
const openTimeout = 5_000
/** The service sends a heartbeat every 25 s. After this silence the connection is dead; milliseconds. */
const silenceTimeout = 60_000

/**
 * Follows the inbox by an event stream, until the stream ends or breaks.
 *
 * @param onInbox Called with the inbox at the start and at each change.
 * @returns whether any event arrived.
 * @throws {DeviceError} when the service rejects the call or cannot be reached. An abort by the caller is rethrown.
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
  let received = false
  expectWithin(openTimeout)
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
      received ||= events.length > 0
      if (received) expectWithin(silenceTimeout)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof DeviceError) throw error
    // The stream was silent for too long or broke, which is normal for streams.
  } finally {
    stopTimer()
    // Closes what is still open, such as a response that is not a stream.
    dead.abort()
  }
  return received
}

function readInbox(data: string): Inbox {
  const parsed = Inbox.safeParse(parseJson(data))
  if (parsed.success) return parsed.data
  throw new DeviceError('bad_response', 'An event has an unexpected format.', { cause: parsed.error })
}
