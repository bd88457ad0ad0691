import { repeat } from '../../ground/clock.ts'
import { eventText } from '../../ground/event-stream.ts'
import type { Change, WatchTarget } from '../live/shared-watches.ts'
import type { StreamOwner } from '../live/stream-places.ts'
import type { Answer, Handler, Outcome, Sink } from '../request/outcome.ts'
import { andThen, json } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'

/** How long a request is held, and how often a stream sends a heartbeat: common proxies cut a silent response after 60 s. ms. */
const [heldFor, heartbeat] = [25_000, 25_000]
/** How soon a page asks again while it may hold no connection, seconds. */
const calmPause = 15

/** Finds what the page waits for in its web session; returns a change if one is known without asking. */
type Watch = (request: WebRequest) => WatchTarget | Change

/** Sends one event as soon as there is a change. */
export function streamOf(watch: Watch): Handler {
  return (request) => detached(request, watch, (watched, owner) => stream(request, watched, owner))
}

/** Says more about what is watched, for clients that read the answer themselves. */
type Describe = (request: WebRequest) => Promise<object>

/** Holds one answer until there is a change, or the time is over. */
export function whileHeld(watch: Watch, describe?: Describe): Handler {
  return (request) =>
    detached(request, watch, async (watched, owner, signal) => {
      const answer = await hold(request, watched, owner, signal)
      if (!describe || answer.kind !== 'json') return answer
      return { ...answer, body: { ...(answer.body as object), ...(await describe(request)) } }
    })
}

type Follow = (watched: WatchTarget | Change, owner: StreamOwner, signal: AbortSignal) => Answer | Promise<Answer>

/** Detaches the web session before anything is waited for: these answers come late and never save it. */
function detached(request: WebRequest, watch: Watch, follow: Follow): Outcome {
  const watched = watch(request)
  const owner = { userKey: request.context.userKey ?? '', webSession: nameOfWebSession(request) }
  return andThen(request, { state: 'detach' }, async (_, signal) => ({
    state: 'as-is',
    answer: await follow(watched, owner, signal),
  }))
}

function stream({ req, context }: WebRequest, watched: WatchTarget | Change, owner: StreamOwner): Answer {
  // There is no body to wait for.
  if (req.method === 'HEAD') return { kind: 'stream', run: async (sink) => sink.end('') }
  const { places, watches, options } = context.mfa
  const crowded = new AbortController()
  const leave = isKnown(watched) ? () => {} : places.takeForStream(owner, () => crowded.abort())
  // An EventSource takes 204 for the end instead of trying again (WHATWG HTML section 9.2.2).
  if (!leave) return { kind: 'nothing' }
  return { kind: 'stream', run }

  async function run(sink: Sink): Promise<void> {
    const ended = AbortSignal.any([sink.signal, crowded.signal])
    // If only the server closed the stream, the browser would reopen it at once, and another one would have to go.
    crowded.signal.addEventListener('abort', () => sink.end(eventText('', 'crowded')))
    sink.write(`retry: 2000\n${eventText('', 'hello')}`)
    // Events, because scripts do not see the comments that are otherwise used for this.
    const stopBeat = repeat(options.clock, heartbeat, () => sink.write(eventText('', 'beat')))
    try {
      const change = isKnown(watched) ? watched : await watches.follow(watched, ended, Number.POSITIVE_INFINITY)
      if (!ended.aborted) sink.end(eventText(change, 'change'))
    } catch (error) {
      // The page reloads by itself and then shows what is wrong.
      if (!ended.aborted) throw error
    } finally {
      stopBeat()
      leave?.()
    }
  }
}

async function hold(
  { req, context, query }: WebRequest,
  watched: WatchTarget | Change,
  owner: StreamOwner,
  signal: AbortSignal,
): Promise<Answer> {
  const { watches, places } = context.mfa
  if (isKnown(watched)) return json(200, { change: watched })
  const crowded = new AbortController()
  const isAtOnce = query.has('now') || req.method === 'HEAD'
  const leave = isAtOnce ? undefined : places.takeForHeld(owner, () => crowded.abort())
  try {
    if (!leave) return calm(await watches.check(watched))
    const change = await watches.follow(watched, AbortSignal.any([signal, crowded.signal]), heldFor)
    return crowded.signal.aborted ? calm(change) : json(200, { change })
  } catch (error) {
    if (signal.aborted) return { kind: 'nothing' }
    throw error
  } finally {
    leave?.()
  }
}

/** cookie-session has no id: there the web session is named by the state in it. */
function nameOfWebSession({ req, state: { challenge, page } }: WebRequest): string {
  const { sessionID } = req as { readonly sessionID?: unknown }
  return typeof sessionID === 'string' ? sessionID : (challenge?.id ?? page ?? '')
}

const isKnown = (watched: WatchTarget | Change): watched is Change => typeof watched === 'string'

const calm = (change: Change): Answer => json(200, { change, retryAfter: calmPause })
