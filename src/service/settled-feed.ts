import type { Clock } from '../clock.ts'
import type { Logger } from './context.ts'
import type { Follower } from './http/event-stream.ts'
import { createLook } from './settled-look.ts'
import type { Found } from './settled-look.ts'
import type { Store } from './store/store.ts'
import { sessionIdOf } from './waiters.ts'
import type { Waiters } from './waiters.ts'

type SettledFollower = Follower<{ id: string }>

/** Tells of sessions as they settle, on whatever node; reads the database once for all who follow. */
export interface SettledFeed {
  /** From now on nothing is missed, and some may be told twice. The answer ends it, without a call of `end`. */
  follow(domainId: string, follower: SettledFollower): () => void
  /** Ends all following, now and later. */
  close(): void
}

interface Given {
  readonly store: Store
  readonly waiters: Waiters
  readonly clock: Clock
  readonly logger: Logger
}

export function createSettledFeed(given: Given): SettledFeed {
  const followers = new Map<string, Set<SettledFollower>>()
  let watch: Watch | undefined
  let closed = false

  const endAll = () => {
    const all = [...followers.values()].flatMap((some) => [...some])
    followers.clear()
    stopWatching()
    for (const follower of all) follower.end()
  }
  const stopWatching = () => {
    watch?.stop()
    watch = undefined
  }
  const leave = (domainId: string, follower: SettledFollower) => {
    const others = followers.get(domainId)
    others?.delete(follower)
    if (others?.size === 0) followers.delete(domainId)
    if (followers.size === 0) stopWatching()
  }
  const audience: Audience = {
    domains: () => [...followers.keys()],
    tell: (domainId, id) => {
      for (const follower of followers.get(domainId) ?? []) follower.event({ id })
    },
    lost: endAll,
  }

  return {
    follow(domainId, follower) {
      if (closed) follower.end()
      else {
        const others = followers.get(domainId)
        if (others) others.add(follower)
        else followers.set(domainId, new Set([follower]))
        watch ??= startWatch(given, audience)
        watch.lookAhead()
      }
      return () => leave(domainId, follower)
    },
    close() {
      closed = true
      endAll()
    },
  }
}

interface Audience {
  readonly domains: () => readonly string[]
  readonly tell: (domainId: string, sessionId: string) => void
  /** Something may have been missed. */
  readonly lost: () => void
}

/** Runs while somebody follows. */
interface Watch {
  /** Another domain is followed: its sessions run out, too. */
  lookAhead(): void
  stop(): void
}

/** Collects what may have changed while it looks, and looks again. */
function startWatch({ store, waiters, clock, logger }: Given, audience: Audience): Watch {
  const look = createLook(store.db, clock, audience.domains)
  const alarm = createAlarm(clock, () => note({ ahead: true }))
  let noted = nothing
  let looking = false
  let stopped = false

  function note(more: Partial<Noted>): void {
    noted = {
      ids: more.ids ? [...noted.ids, ...more.ids] : noted.ids,
      around: noted.around || more.around === true,
      ahead: noted.ahead || more.ahead === true,
    }
    if (!looking) void lookUntilQuiet()
  }

  const isActive = () => !stopped

  async function lookUntilQuiet(): Promise<void> {
    looking = true
    try {
      while (isActive() && noted !== nothing) {
        const { ids, around, ahead } = noted
        noted = nothing
        if (ids.length > 0) tell(await look.at(ids))
        if (around) tell(await look.around())
        if (ahead) tell(await look.ahead())
      }
    } catch (error) {
      logger.warn({ err: error }, 'sessions could not be followed')
      if (isActive()) audience.lost()
    }
    looking = false
  }

  function tell({ settled, expiry }: Found): void {
    if (stopped) return
    for (const { domainId, id } of settled) audience.tell(domainId, id)
    if (expiry !== undefined) alarm.set(expiry)
  }

  const unwatch = waiters.watch((news) => {
    if (news === 'gap') audience.lost()
    else if (news === 'something') note({ around: true })
    else note({ ids: news.flatMap((key) => sessionIdOf(key) ?? []) })
  })

  return {
    lookAhead: () => note({ ahead: true }),
    stop() {
      stopped = true
      alarm.cancel()
      unwatch()
    },
  }
}

/** What there is to look for. */
interface Noted {
  readonly ids: readonly string[]
  readonly around: boolean
  readonly ahead: boolean
}

const nothing: Noted = { ids: [], around: false, ahead: false }

/** Rings at the earliest of the times it was set to. */
function createAlarm(clock: Clock, ring: () => void) {
  let set: { readonly at: number; readonly cancel: () => void } | undefined
  return {
    set(at: number) {
      if (set && set.at <= at) return
      set?.cancel()
      const cancel = clock.after(Math.max(0, at - clock.now()) * 1000, () => {
        set = undefined
        ring()
      })
      set = { at, cancel }
    },
    cancel() {
      set?.cancel()
      set = undefined
    },
  }
}
