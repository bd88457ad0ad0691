import { fetchWithin } from './fetch-within.ts'

/** An event stream that does not open in this time is buffered by a proxy, ms. */
const openWithin = 5000
/** The server sends something every 25 s, so a connection that is silent for longer than this is dead, ms. */
const silentFor = 40_000
const retryAfterFailure = 2000

/** The pause between two polls while this page may hold no connection, ms. */
const calmPause = 15_000

interface Listener {
  readonly changed: (change: string) => void
  /** Nothing arrives this way. */
  readonly blocked: () => void
  /** Too many pages are open, and this one is the oldest. */
  readonly crowded: () => void
}

/** The address of a path below the challenge, for the page that waits. */
type Address = (path: string) => string

/** Reports a change. @returns a function that stops it. */
type Transport = (address: Address, listener: Listener) => () => void

/**
 * Calls back once, when the challenge has changed. Only a visible page holds a connection: browsers allow few per origin, and
 * connections of a sleeping phone die unnoticed.
 */
export function followChanges(address: Address, changed: (change: string) => void): () => void {
  const ended = new AbortController()
  const { signal } = ended
  let transport: Transport = streamsAreBlocked() ? holdRequests : stream
  let disconnect = () => {}
  let crowded = false
  const listener: Listener = {
    changed: once,
    blocked() {
      transport = holdRequests
      connect()
    },
    // Reopening it would close the stream of another page, which would then do the same: only a user who returns to this page
    // reopens it.
    crowded() {
      disconnect()
      crowded = true
      disconnect = poll(address, listener)
    },
  }

  function connect(): void {
    disconnect()
    crowded = false
    if (document.visibilityState === 'hidden') return
    disconnect = transport(address, listener)
  }
  function once(change: string): void {
    // A change that arrives while the user leaves the page is ignored.
    if (signal.aborted) return
    end()
    changed(change)
  }
  function end(): void {
    ended.abort()
    disconnect()
  }

  document.addEventListener('visibilitychange', connect, { signal })
  document.addEventListener('freeze', () => disconnect(), { signal })
  // The first answer reports whatever has changed in the meantime.
  document.addEventListener('resume', connect, { signal })
  addEventListener('online', connect, { signal })
  addEventListener('focus', () => crowded && connect(), { signal })
  connect()
  return end
}

function stream(address: Address, { changed, blocked, crowded }: Listener): () => void {
  const source = new EventSource(address('events'))
  let timer = setTimeout(() => {
    rememberBlockedStreams()
    giveUp()
  }, openWithin)
  function wait(time: number): void {
    clearTimeout(timer)
    timer = setTimeout(giveUp, time)
  }
  function giveUp(): void {
    stop()
    blocked()
  }
  function stop(): void {
    clearTimeout(timer)
    source.close()
  }

  source.addEventListener('hello', () => wait(silentFor))
  source.addEventListener('beat', () => wait(silentFor))
  // An EventSource reopens a lost connection itself, but gives up after an error status, which a proxy may have sent.
  source.addEventListener('error', () => wait(source.readyState === EventSource.CLOSED ? retryAfterFailure : silentFor))
  source.addEventListener('crowded', () => {
    stop()
    crowded()
  })
  source.addEventListener('change', (event) => {
    stop()
    changed(String(event.data))
  })
  return stop
}

const blockedStreams = 'second-factor:streams'

/** So that the next page of this tab does not have to find out again. */
function rememberBlockedStreams(): void {
  try {
    sessionStorage.setItem(blockedStreams, 'blocked')
  } catch {
    // Storage may be disabled; then each page finds out.
  }
}

function streamsAreBlocked(): boolean {
  try {
    return sessionStorage.getItem(blockedStreams) !== null
  } catch {
    return false
  }
}

/** Asks with held requests, which are answered on a change or after 25 s. */
function holdRequests(address: Address, { changed }: Listener): () => void {
  return askRepeatedly(address('status'), changed)
}

/** Asks at intervals, without holding a connection. */
function poll(address: Address, { changed }: Listener): () => void {
  return askRepeatedly(address('status') + '&now', changed, calmPause)
}

function askRepeatedly(url: string, changed: (change: string) => void, firstPause = 0): () => void {
  const stopped = new AbortController()
  void ask()
  return () => stopped.abort()

  async function ask(): Promise<void> {
    await pause(firstPause)
    while (!stopped.signal.aborted) {
      const start = performance.now()
      const { change, retryAfter = 0 } = await askOnce(url, stopped.signal)
      if (stopped.signal.aborted) return
      if (change !== undefined && change !== 'none') return changed(change)
      // A request that is answered at once was not held: without a pause, requests would flood the server.
      const minPause = performance.now() - start < retryAfterFailure ? retryAfterFailure : 0
      await pause(Math.max(minPause, retryAfter * 1000))
    }
  }
}

const pause = (time: number) => new Promise<void>((resolve) => setTimeout(resolve, time))

/** `retryAfter` in seconds, if the server did not hold the request. */
interface Answer {
  readonly change?: string
  readonly retryAfter?: number
}

/** Without an answer there is no change: a failed request says nothing about the challenge. */
async function askOnce(url: string, stopped: AbortSignal): Promise<Answer> {
  const request = [url, { headers: { accept: 'application/json' }, redirect: 'manual' }] as const
  // Offline, asleep or disconnected: retried after a pause.
  return fetchWithin(silentFor, stopped, request, readAnswer).catch(() => ({}))
}

async function readAnswer(answer: Response): Promise<Answer> {
  // Signed out, or redirected by the app: reloading the page shows which.
  if (answer.status === 401 || answer.type === 'opaqueredirect') return { change: 'lost' }
  return answer.ok ? ((await answer.json()) as Answer) : {}
}
