/** Event streams that do not open in this time are held back on the way, ms. */
const openWithin = 5000
/** The server says something every 15 s, and answers a held request after 25 s: what is silent for longer is dead, ms. */
const silentFor = 40_000
const retryAfter = 2000

/** Tells what changed; `blocked` when nothing gets through this way. @returns how to stop. */
type Way = (base: string, changed: (change: string) => void, blocked: () => void) => () => void

/**
 * Calls back once, when the challenge has moved on. Only a visible page holds a connection: browsers allow few per
 * origin, and a phone's asleep ones are dead without knowing it.
 */
export function followChanges(base: string, changed: (change: string) => void): () => void {
  const ended = new AbortController()
  const { signal } = ended
  let way: Way = streamsAreBlocked() ? holdRequests : stream
  let disconnect = () => {}

  function connect(): void {
    disconnect()
    if (document.visibilityState === 'hidden') return
    disconnect = way(base, once, () => {
      way = holdRequests
      connect()
    })
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
  connect()
  return end
}

function stream(...[base, changed, blocked]: Parameters<Way>): () => void {
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
  source.addEventListener('error', () => wait(source.readyState === EventSource.CLOSED ? retryAfter : silentFor))
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

function holdRequests(...[base, changed]: Parameters<Way>): () => void {
  const stopped = new AbortController()
  void ask()
  return () => stopped.abort()

  async function ask(): Promise<void> {
    for (;;) {
      const asked = performance.now()
      const change = await askOnce(base, stopped.signal)
      if (stopped.signal.aborted) return
      if (change !== undefined && change !== 'none') return changed(change)
      // What is answered at once was not held; asking on and on would be a storm.
      if (performance.now() - asked < retryAfter) await new Promise((resolve) => setTimeout(resolve, retryAfter))
    }
  }
}

/** Undefined when there was no answer: that says nothing about the challenge. */
async function askOnce(base: string, stopped: AbortSignal): Promise<string | undefined> {
  const given = new AbortController()
  const giveUp = () => given.abort()
  const timer = setTimeout(giveUp, silentFor)
  stopped.addEventListener('abort', giveUp)
  try {
    const answer = await fetch(`${base}/status`, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: given.signal,
    })
    // Signed out, or led elsewhere by the app: the page itself knows better.
    if (answer.status === 401 || answer.type === 'opaqueredirect') return 'lost'
    return answer.ok ? ((await answer.json()) as { change: string }).change : undefined
  } catch {
    // Offline, asleep or cut off: asked again after a pause.
    return undefined
  } finally {
    clearTimeout(timer)
    stopped.removeEventListener('abort', giveUp)
  }
}
