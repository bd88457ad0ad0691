import type { Response } from 'express'

import type { ConnectedService } from '../challenge/service.ts'
import { pause } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { noStore, sendJson } from './answer.ts'
import type { ChallengeRequest } from './challenge-request.ts'
import { letGo } from './web-session.ts'

/** Shorter than the minute after which common proxies cut a silent answer, ms. */
const heldFor = 25_000
const heartbeat = 15_000
/** How often the service is asked whether a device was set up, ms. */
const activationPoll = 1_000

/** What the page is told: that something changed. What it means, the server decides when the page comes back. */
export type Change = 'settled' | 'activated' | 'none'

/** Waits for a change; `timeout` in ms. */
type Watch = (request: ChallengeRequest, signal: AbortSignal, timeout: number) => Promise<Change>

type Route = (request: ChallengeRequest) => Promise<void>

/** One event as soon as there is a change. */
export function streamOf(watch: Watch): Route {
  return (request) => stream(request, watch)
}

/** One held answer, with or without a change. */
export function whileHeld(watch: Watch): Route {
  return (request) => hold(request, watch)
}

async function stream(request: ChallengeRequest, watch: Watch): Promise<void> {
  const { res, context } = request
  const ended = endOf(res)
  const watching = watch(request, ended.signal, Number.POSITIVE_INFINITY)
  openStream(res)
  const stopBeat = beat(context.mfa.options.clock, res)
  try {
    const change = await watching
    if (!ended.signal.aborted) res.end(`event: change\ndata: ${change}\n\n`)
  } catch (error) {
    // The page comes back by itself and is then told what is wrong.
    if (!ended.signal.aborted) throw error
  } finally {
    stopBeat()
  }
}

async function hold(request: ChallengeRequest, watch: Watch): Promise<void> {
  const ended = endOf(request.res)
  try {
    sendJson(request.res, 200, { change: await watch(request, ended.signal, heldFor) })
  } catch (error) {
    if (!ended.signal.aborted) throw error
  }
}

/** Asks again and again, as the service tells nobody that a device was set up. Never saves the web session. */
export async function pollEach(
  { req, context }: ChallengeRequest,
  isActive: (service: ConnectedService) => Promise<boolean>,
  { signal, timeout }: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<Change> {
  letGo(req)
  const service = await context.mfa.connect()
  const { clock } = context.mfa.options
  const deadline = clock.now() + timeout / 1000
  while (clock.now() < deadline && !signal.aborted) {
    if (await isActive(service)) return 'activated'
    await pause(clock, activationPoll, signal)
  }
  return 'none'
}

function endOf(res: Response): AbortController {
  const ended = new AbortController()
  res.once('close', () => ended.abort())
  return ended
}

function openStream(res: Response): void {
  noStore(res)
  // `no-transform` keeps the compression middleware from holding events back, the other header nginx.
  res.setHeader('Cache-Control', 'no-store, no-transform')
  res.setHeader('X-Accel-Buffering', 'no')
  res.setHeader('Content-Type', 'text/event-stream; charset=utf-8')
  res.write('retry: 2000\nevent: hello\ndata: \n\n')
}

function beat(clock: Clock, res: Response): () => void {
  let cancel = clock.after(heartbeat, again)
  function again() {
    // Events, as scripts do not see the comments that are otherwise used for this.
    res.write('event: beat\ndata: \n\n')
    cancel = clock.after(heartbeat, again)
  }
  return () => cancel()
}
