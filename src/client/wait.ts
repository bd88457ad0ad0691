import type { Session } from '../contract/sessions.ts'
import { getSession } from '../contract/sessions.ts'
import type { ResolvedClientOptions } from './options.ts'
import type { Transport } from './transport.ts'

/** Held reads shorter than the minute after which common proxies cut a silent answer, seconds. */
const heldRead = 25
const pollInterval = 1000

export interface WaitOptions {
  /** How long to wait at most, ms; without it until the session settles. */
  readonly timeout?: number
  readonly signal?: AbortSignal | undefined
}

/** Follows a session until it settles; answers it as it is when the time is over. */
export async function waitForSession(
  transport: Transport,
  options: ResolvedClientOptions,
  params: { domainId: string; sessionId: string },
  { timeout = Number.POSITIVE_INFINITY, signal }: WaitOptions = {},
): Promise<Session> {
  const deadline = options.clock.now() + timeout / 1000
  for (;;) {
    const left = deadline - options.clock.now()
    const wait = Math.max(0, Math.min(heldRead, Math.ceil(left)))
    const { body: session, held } = await transport.call(getSession, { params }, { signal, wait })
    if (session.state !== 'pending' || options.clock.now() >= deadline) return session
    if (!held) await pause(options, pollInterval, signal)
  }
}

function pause({ clock }: ResolvedClientOptions, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const cancel = clock.after(milliseconds, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    function abort() {
      cancel()
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', abort, { once: true })
  })
}
