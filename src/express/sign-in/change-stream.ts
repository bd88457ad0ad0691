import type { Request, Response } from 'express'

import type { Clock } from '../../clock.ts'
import { noStore, sendJson } from '../request/answer.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import type { Change, Watched } from '../live/shared-watches.ts'
import type { StreamOwner } from '../live/stream-places.ts'
import { detachWebSession, readMfaState } from '../session/web-session.ts'

/** Shorter than the minute after which common proxies cut a silent answer, ms. */
const heldFor = 25_000
const heartbeat = 15_000
/** How soon a page asks again for which no connection is held, seconds. */
const calmPause = 15

/** What the page waits for, from its web session; a change where that is known without asking. */
type Watch = (request: ChallengeRequest) => Watched | Change

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
  const { watched, owner } = readOnly(request, watch)
  const ended = endOf(res)
  const makeRoom = () => {
    // Where the server alone closed it, the browser would open it again at once, and another one would have to go.
    res.end('event: crowded\ndata: \n\n')
    ended.abort()
  }
  const leave = isKnown(watched) ? () => {} : context.mfa.places.takeForStream(owner, makeRoom)
  if (!leave) return endEventSource(res)
  const changed = isKnown(watched)
    ? Promise.resolve(watched)
    : context.mfa.watches.follow(watched, ended.signal, Number.POSITIVE_INFINITY)
  openStream(res)
  const stopBeat = beat(context.mfa.options.clock, res)
  try {
    const change = await changed
    if (!ended.signal.aborted) res.end(`event: change\ndata: ${change}\n\n`)
  } catch (error) {
    // The page comes back by itself and is then told what is wrong.
    if (!ended.signal.aborted) throw error
  } finally {
    stopBeat()
    leave()
  }
}

async function hold(request: ChallengeRequest, watch: Watch): Promise<void> {
  const { req, res, context } = request
  const { watches, places } = context.mfa
  const { watched, owner } = readOnly(request, watch)
  const ended = endOf(res)
  const crowded = new AbortController()
  if (isKnown(watched)) return sendJson(res, 200, { change: watched })
  const leave = 'now' in req.query ? undefined : places.takeForHeld(owner, () => crowded.abort())
  try {
    if (!leave) return sendCalm(res, await watches.look(watched))
    const change = await watches.follow(watched, AbortSignal.any([ended.signal, crowded.signal]), heldFor)
    if (crowded.signal.aborted) sendCalm(res, change)
    else sendJson(res, 200, { change })
  } catch (error) {
    if (!ended.signal.aborted) throw error
  } finally {
    leave?.()
  }
}

/** Reads the web session and lets go of it: these answers come late, and never save it. */
function readOnly(request: ChallengeRequest, watch: Watch): { watched: Watched | Change; owner: StreamOwner } {
  const { req, context } = request
  const watched = watch(request)
  const owner = { userKey: context.userKey ?? '', webSession: nameOfWebSession(req) }
  detachWebSession(req)
  return { watched, owner }
}

/** cookie-session has no id: there it is told by what we keep in it. */
function nameOfWebSession(req: Request & { readonly sessionID?: unknown }): string {
  const { challenge, page } = readMfaState(req)
  return typeof req.sessionID === 'string' ? req.sessionID : (challenge?.id ?? page ?? '')
}

const isKnown = (watched: Watched | Change): watched is Change => typeof watched === 'string'

function sendCalm(res: Response, change: Change): void {
  sendJson(res, 200, { change, retryAfter: calmPause })
}

/** 204 is what an EventSource takes for the end, instead of trying again (WHATWG HTML section 9.2.2). */
function endEventSource(res: Response): void {
  noStore(res)
  res.statusCode = 204
  res.end()
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
