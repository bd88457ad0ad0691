/** Event streams that do not open in this time are held back on the way, ms. */
const openWithin = 5000
const retryAfter = 2000

/**
 * Calls back once, when the challenge has moved on. Only a visible page holds a connection: browsers allow few per
 * origin, and a phone's asleep ones are dead without knowing it.
 */
export function followChanges(base: string, changed: (change: string) => void): () => void {
  let stop: (() => void) | undefined
  let streams = true
  let ended = false

  function once(change: string): void {
    if (ended) return
    if (change === 'none') return restart()
    stop?.()
    document.removeEventListener('visibilitychange', update)
    changed(change)
  }
  function restart(): void {
    stop?.()
    stop = undefined
    update()
  }
  function update(): void {
    if (document.visibilityState === 'hidden') {
      stop?.()
      stop = undefined
    } else {
      stop ??= streams ? stream(base, once, useHeldRequests) : holdRequests(base, once)
    }
  }
  function useHeldRequests(): void {
    streams = false
    restart()
  }

  function end(): void {
    document.removeEventListener('visibilitychange', update)
    stop?.()
    // A change that is already on its way is no news any more.
    ended = true
  }

  document.addEventListener('visibilitychange', update)
  update()
  return end
}

function stream(base: string, changed: (change: string) => void, blocked: () => void): () => void {
  const source = new EventSource(`${base}/events`)
  const timer = setTimeout(() => {
    source.close()
    blocked()
  }, openWithin)
  source.addEventListener('error', () => {
    // Refused for good (signed out, or no longer this challenge): the page itself knows better.
    if (source.readyState === EventSource.CLOSED) {
      clearTimeout(timer)
      setTimeout(() => changed('lost'), retryAfter)
    }
  })
  source.addEventListener('hello', () => clearTimeout(timer))
  source.addEventListener('change', (event) => {
    source.close()
    clearTimeout(timer)
    changed(String(event.data))
  })
  return () => {
    clearTimeout(timer)
    source.close()
  }
}

function holdRequests(base: string, changed: (change: string) => void): () => void {
  const stopped = new AbortController()
  void ask()
  return () => stopped.abort()

  async function ask(): Promise<void> {
    while (!stopped.signal.aborted) {
      const change = await askOnce(base, stopped.signal)
      if (stopped.signal.aborted) return
      if (change === undefined) await new Promise((resolve) => setTimeout(resolve, retryAfter))
      else if (change !== 'none') return changed(change)
    }
  }
}

/** Undefined when there was no answer: that says nothing about the challenge. */
async function askOnce(base: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const answer = await fetch(`${base}/status`, { headers: { accept: 'application/json' }, signal })
    if (!answer.ok) return answer.status === 401 ? 'lost' : undefined
    return ((await answer.json()) as { change: string }).change
  } catch {
    // Offline, asleep or cut off: asked again after a pause.
    return undefined
  }
}
