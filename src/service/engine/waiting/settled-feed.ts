import type { Clock } from '../../../ground/clock.ts'
import type { SessionEvent } from '../../../contract/sessions.ts'
import type { Logger } from '../base/logger.ts'
import type { FailureLog } from '../monitoring/failure-log.ts'
import type { Follower } from './follower.ts'
import { createSettledReader } from './settled-reader.ts'
import type { FoundSessions } from './settled-reader.ts'
import type { Store } from '../database/store.ts'
import { epochChangeOf, sessionChangesOf } from '../base/waiter-key.ts'
import type { Waiters } from './waiters.ts'
import { withoutCaller } from '../base/waiting-caller.ts'

type SettledFollower = Follower<SessionEvent>

/** Publishes settled sessions and changed epochs of users from all nodes. Reads the database once for all followers. */
export interface SettledFeed {
  /** Subscribes: no later event is missed, and some may be repeated. The returned function unsubscribes, without a call of `end`. */
  follow(domainId: string, follower: SettledFollower): () => void
  /** Ends all subscriptions, the current ones and those to come. */
  close(): void
}

interface FeedOptions {
  readonly store: Store
  readonly waiters: Waiters
  readonly clock: Clock
  readonly logger: Logger
  readonly failures?: Pick<FailureLog, 'covers'>
}

export function createSettledFeed(options: FeedOptions): SettledFeed {
  const followers = new Map<string, Set<SettledFollower>>()
  let watch: Watch | undefined
  let closed = false

  const endAll = () => {
    const all = [...followers.values()].flatMap((set) => [...set])
    followers.clear()
    stopWatching()
    for (const follower of all) follower.end()
  }
  const stopWatching = () => {
    watch?.stop()
    watch = undefined
  }
  const leave = (domainId: string, follower: SettledFollower) => {
    const domainFollowers = followers.get(domainId)
    domainFollowers?.delete(follower)
    if (domainFollowers?.size === 0) followers.delete(domainId)
    if (followers.size === 0) stopWatching()
  }
  const audience: Audience = {
    domains: () => [...followers.keys()],
    tell: (domainId, event) => {
      for (const follower of followers.get(domainId) ?? []) follower.event(event)
    },
    lost: endAll,
  }

  return {
    follow(domainId, follower) {
      if (closed) follower.end()
      else {
        const domainFollowers = followers.get(domainId)
        if (domainFollowers) domainFollowers.add(follower)
        else followers.set(domainId, new Set([follower]))
        watch ??= startWatch(options, audience)
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
  readonly tell: (domainId: string, event: SessionEvent) => void
  /** Events may have been missed. */
  readonly lost: () => void
}

/** Runs while there are followers. */
interface Watch {
  /** Another domain is followed, and its sessions expire too. */
  lookAhead(): void
  stop(): void
}

/** Collects notifications while it reads, and then reads again. */
function startWatch({ store, waiters, clock, logger, failures }: FeedOptions, audience: Audience): Watch {
  const reader = createSettledReader(store.db, clock, audience.domains)
  const alarm = createAlarm(clock, () => note({ expired: true }))
  let pendingLook = nothing
  let looking = false
  let stopped = false

  function note(more: Partial<Look>): void {
    pendingLook = {
      ids: more.ids ? [...pendingLook.ids, ...more.ids] : pendingLook.ids,
      recent: pendingLook.recent || more.recent === true,
      expired: pendingLook.expired || more.expired === true,
    }
    if (!looking) void withoutCaller(lookUntilQuiet)
  }

  const isActive = () => !stopped

  async function lookUntilQuiet(): Promise<void> {
    looking = true
    try {
      while (isActive() && pendingLook !== nothing) {
        const { ids, recent, expired } = pendingLook
        pendingLook = nothing
        if (ids.length > 0) tell(await reader.byIds(ids))
        if (recent) tell(await reader.recent())
        if (expired) tell(await reader.expired())
      }
    } catch (error) {
      if (!failures?.covers(error)) logger.warn({ err: error }, 'settled sessions could not be read')
      if (isActive()) audience.lost()
    }
    looking = false
  }

  function tell({ settled, epochs = [], expiry }: FoundSessions): void {
    if (stopped) return
    for (const { domainId, id } of settled) audience.tell(domainId, { id })
    publishEpochs(epochs)
    if (expiry !== undefined) alarm.set(expiry)
  }

  function publishEpochs(changes: readonly { readonly domainId: string; readonly userId: string }[]): void {
    for (const { domainId, userId } of changes) audience.tell(domainId, { user: userId, changed: 'epoch' })
  }

  const unwatch = waiters.watch((storeChange) => {
    if (storeChange === 'gap') audience.lost()
    else if (storeChange === 'something') note({ recent: true })
    else {
      publishEpochs(storeChange.flatMap((key) => epochChangeOf(key) ?? []))
      const { settled, expiries, unknown } = sessionChangesOf(storeChange)
      tell({ settled, expiry: expiries.length === 0 ? undefined : Math.min(...expiries) })
      if (unknown.length > 0) note({ ids: unknown })
    }
  })

  return {
    lookAhead: () => note({ expired: true }),
    stop() {
      stopped = true
      alarm.cancel()
      unwatch()
    },
  }
}

/** The reads that are due. */
interface Look {
  readonly ids: readonly string[]
  readonly recent: boolean
  readonly expired: boolean
}

const nothing: Look = { ids: [], recent: false, expired: false }

/** Calls back at the earliest of the set times. */
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
