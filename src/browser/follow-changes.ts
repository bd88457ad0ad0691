/** Event streams that do not open in this time are held back on the way, ms. */
const openWithin = 5000
/** The server sends something every 25 s, so a connection that is silent for longer than this is dead, ms. */
const silentFor = 40_000
const retryAfterFailure = 2000

/** How soon to ask again for which the server holds no connection, ms. */
const calmPause = 15_000

interface Listener {
  readonly changed: (change: string) => void
  /** Nothing gets through this way. */
  readonly blocked: () => void
  /** There are too many pages, and this one is the oldest. */
  readonly crowded: () => void
}

/** Tells what changed. @returns how to stop. */
type Way = (base: string, listener: Listener) => () => void

/**
 * Calls back once, when the challenge has moved on. Only a visible page holds a connection: browsers allow few per
 * origin, and a phone's asleep ones are dead without knowing it.
 */
export function followChanges(base: string, changed: (change: string) => void): () => void {
  const ended = new AbortController()
  const { signal } = ended
  let way: Way = streamsAreBlocked() ? holdRequests : stream
  let disconnect = () => {}
  let crowded = false
  const listener: Listener = {
    changed: once,
    blocked() {
      way = holdRequests
      connect()
    },
    // Opening it again would close that of another page, which would do the same: only a person who comes back to this
    // page does that.
    crowded() {
      disconnect()
      crowded = true
      disconnect = askCalmly(base, listener)
    },
  }

  function connect(): void {
    disconnect()
    crowded = false
    if (document.visibilityState === 'hidden') return
    disconnect = way(base, listener)
  }
  function once(change: string): void {
    // A change that is already on its way when the person leaves is no news any more.
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
  // Whatever happened meanwhile, the first answer tells it.
  document.addEventListener('resume', connect, { signal })
  addEventListener('online', connect, { signal })
  addEventListener('focus', () => crowded && connect(), { signal })
  connect()
  return end
}

function stream(base: string, { changed, blocked, crowded }: Listener): () => void {
  const source = new EventSource(`${base}/events`)
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
  // A lost connection it opens again by itself; a refusal it takes for the last word, which a proxy may have spoken.
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

/** The next page of this tab need not find out again. */
function rememberBlockedStreams(): void {
  try {
    sessionStorage.setItem(blockedStreams, 'blocked')
  } catch {
    // Storage can be forbidden; then each page finds out.
  }
}

function streamsAreBlocked(): boolean {
  try {
    return sessionStorage.getItem(blockedStreams) !== null
  } catch {
    return false
  }
}

/** Asks, and is answered when there is something to say or 25 s later. */
function holdRequests(base: string, { changed }: Listener): () => void {
  return askOnAndOn(`${base}/status`, changed)
}

/** Looks now and then, without a connection that is held. */
function askCalmly(base: string, { changed }: Listener): () => void {
  return askOnAndOn(`${base}/status?now`, changed, calmPause)
}

function askOnAndOn(url: string, changed: (change: string) => void, firstPause = 0): () => void {
  const stopped = new AbortController()
  void ask()
  return () => stopped.abort()

  async function ask(): Promise<void> {
    await pause(firstPause)
    while (!stopped.signal.aborted) {
      const asked = performance.now()
      const { change, retryAfter = 0 } = await askOnce(url, stopped.signal)
      if (stopped.signal.aborted) return
      if (change !== undefined && change !== 'none') return changed(change)
      // What is answered at once was not held; asking on and on would be a storm.
      const minPause = performance.now() - asked < retryAfterFailure ? retryAfterFailure : 0
      await pause(Math.max(minPause, retryAfter * 1000))
    }
  }
}

const pause = (time: number) => new Promise<void>((resolve) => setTimeout(resolve, time))

/** `retryAfter` in seconds, where the server held nothing. */
interface Answer {
  readonly change?: string
  readonly retryAfter?: number
}

/** No change when there was no answer: that says nothing about the challenge. */
async function askOnce(url: string, stopped: AbortSignal): Promise<Answer> {
  const given = new AbortController()
  const giveUp = () => given.abort()
  const timer = setTimeout(giveUp, silentFor)
  stopped.addEventListener('abort', giveUp)
  try {
    const answer = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: given.signal,
    })
    // Signed out, or led elsewhere by the app: the page itself knows better.
    if (answer.status === 401 || answer.type === 'opaqueredirect') return { change: 'lost' }
    return answer.ok ? ((await answer.json()) as Answer) : {}
  } catch {
    // Offline, asleep or cut off: asked again after a pause.
    return {}
  } finally {
    clearTimeout(timer)
    stopped.removeEventListener('abort', giveUp)
  }
}
