import type { ConnectedService } from '../../challenge/service.ts'
import { pause } from '../../ground/clock.ts'
import type { Clock } from '../../ground/clock.ts'

/** The message to the page: only that something changed. The server decides what that means when the page reloads. */
export type Change = 'settled' | 'activated' | 'replaced' | 'none'

/** Something pages wait for. */
export interface WatchTarget {
  /** Equal for all pages that wait for the same thing, and specific to one user. */
  readonly name: string
  /** Returns whether there is a change by now. */
  readonly check: (service: ConnectedService) => Promise<Change>
  /** Resolves when there is a change, or the signal is aborted. */
  readonly follow: (service: ConnectedService, signal: AbortSignal) => Promise<Change>
}

/** Asks the service once for all pages of this process that wait for the same thing. */
export interface SharedWatches {
  /** Resolves when there is a change; with `none` when the signal is aborted or the timeout (ms) is over. */
  follow(watched: WatchTarget, signal: AbortSignal, timeout: number): Promise<Change>
  /** Returns the current state, at most a second old. While pages follow, it is `none`: they would report a change. */
  check(watched: WatchTarget): Promise<Change>
}

/** How long a watch continues without pages, ms, so that a page that reconnects does not restart it. */
const linger = 2_000
/** How long a result is shared with other pages, ms. */
const checkLifetime = 1_000

type Outcome = { readonly change: Change } | { readonly error: unknown }

interface Running {
  readonly listeners: Set<(outcome: Outcome) => void>
  readonly end: () => void
  cancelEnd: () => void
}

export function createSharedWatches(connect: () => Promise<ConnectedService>, clock: Clock): SharedWatches {
  const running = new Map<string, Running>()
  const checks = new Map<string, Promise<Change>>()

  function start({ name, follow }: WatchTarget): Running {
    const ended = new AbortController()
    const watch: Running = { listeners: new Set(), end: () => finish({ change: 'none' }), cancelEnd: () => {} }
    function finish(outcome: Outcome): void {
      watch.cancelEnd()
      if (running.get(name) === watch) running.delete(name)
      ended.abort()
      for (const listener of watch.listeners) listener(outcome)
    }
    running.set(name, watch)
    void connect()
      .then((service) => follow(service, ended.signal))
      .then(
        (change) => finish({ change }),
        (error: unknown) => finish({ error }),
      )
    return watch
  }

  return {
    follow(watched, signal, timeout) {
      const watch = running.get(watched.name) ?? start(watched)
      watch.cancelEnd()
      return new Promise((resolve, reject) => {
        const stopTimer = Number.isFinite(timeout) ? clock.after(timeout, over) : () => {}
        signal.addEventListener('abort', over, { once: true })
        watch.listeners.add(listener)
        if (signal.aborted) over()

        function listener(outcome: Outcome) {
          stopTimer()
          signal.removeEventListener('abort', over)
          watch.listeners.delete(listener)
          if ('error' in outcome) reject(outcome.error)
          else resolve(outcome.change)
        }
        function over() {
          listener({ change: 'none' })
          if (watch.listeners.size === 0) watch.cancelEnd = clock.after(linger, watch.end)
        }
      })
    },
    check(watched) {
      const { name } = watched
      if (running.has(name)) return Promise.resolve('none')
      const currentCheck = checks.get(name)
      if (currentCheck) return currentCheck
      const checking = connect().then((service) => watched.check(service))
      checks.set(name, checking)
      clock.after(checkLifetime, () => checks.delete(name))
      return checking
    },
  }
}

/** The time between two polls, milliseconds. */
const minPause = 1_000
const maxPause = 15_000

/**
 * Watches what the service does not report, by polling: the pause between two polls is a quarter of the time that has passed
 * since the start.
 */
export function polled(
  clock: Clock,
  name: string,
  isChanged: (service: ConnectedService) => Promise<boolean>,
): WatchTarget {
  const check: WatchTarget['check'] = async ({ polling }) => ((await isChanged(polling)) ? 'activated' : 'none')
  return {
    name,
    check,
    async follow(service, signal) {
      const since = clock.now()
      while (!signal.aborted) {
        const change = await check(service)
        if (change !== 'none') return change
        await pause(clock, Math.min(maxPause, Math.max(minPause, (clock.now() - since) * 250)), signal)
      }
      return 'none'
    },
  }
}
