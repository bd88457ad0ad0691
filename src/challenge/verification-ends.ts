import type { Clock } from '../ground/clock.ts'
import { runListener } from '../ground/run-listener.ts'
import type { Verified } from './challenge.ts'
import type { Epochs } from './epochs.ts'
import { expiryOf, judge } from './policy.ts'
import type { Judging, Policy } from './policy.ts'
import type { MfaUser } from './user.ts'
import { userKeyOf } from './user.ts'

/** How often open connections are checked, seconds. Expiries and changes that the service reports are noticed at once. */
const checkedEvery = 10
/** How many users the service is asked about at the same time, where it reports no changes. */
const maxAsked = 4
/** How many users are checked before other work gets its turn. */
const maxInTurn = 1_000

/** A verification that a connection relies on for longer than one request. */
export interface ReliedVerification {
  readonly user: MfaUser
  readonly verified: Verified
  readonly policy: Policy
}

/** Tells connections when the verification that they were opened with has ended. */
export interface VerificationEnds {
  /** @param onEnd is called once, never before this returns. @returns the function that stops watching. */
  watch(verification: ReliedVerification, onEnd: () => void): () => void
}

interface EndOptions {
  readonly epochs: Epochs
  readonly clock: Clock
  /** Told of an error of `onEnd`. */
  readonly failed: (error: unknown) => void
}

interface WatchedConnection extends ReliedVerification {
  readonly onEnd: () => void
}

/**
 * All connections share one timer and the event stream of the epochs, so a connection costs an entry, and a call to the service only
 * where its requests would cost one as well.
 */
export function createVerificationEnds({ epochs, clock, failed }: EndOptions): VerificationEnds {
  const byUser = new Map<string, Set<WatchedConnection>>()
  /** Users about whom the service has to be asked first. */
  const waiting = new Set<string>()
  /** Users about whom it is being asked. */
  const refreshingUsers = new Set<string>()
  const ifKnown = { covers: (verified: Verified) => epochs.coversIfKnown(verified) }
  let next: { readonly at: number; readonly cancel: () => void } | undefined

  epochs.onChange(check)

  /** Ends what is known not to count anymore, however long the service takes to answer, and asks about what is not known. */
  function check(userKey: string): void {
    settle(userKey, ifKnown)
    if (epochs.isKnown(userKey) || refreshingUsers.has(userKey) || !byUser.has(userKey)) return
    waiting.add(userKey)
    askNext()
  }

  function askNext(): void {
    while (refreshingUsers.size < maxAsked) {
      const [userKey] = waiting
      if (userKey === undefined) return
      waiting.delete(userKey)
      const [watched] = byUser.get(userKey) ?? []
      if (watched) void ask(userKey, watched.user)
    }
  }

  async function ask(userKey: string, user: MfaUser): Promise<void> {
    refreshingUsers.add(userKey)
    await epochs.refresh(user)
    refreshingUsers.delete(userKey)
    settle(userKey, epochs)
    askNext()
  }

  function settle(userKey: string, by: Judging['epochs']): void {
    for (const watched of byUser.get(userKey) ?? []) settleOne(userKey, watched, by)
  }

  function settleOne(userKey: string, watched: WatchedConnection, by: Judging['epochs']): void {
    const result = judge(watched.verified, userKey, watched.policy, { now: clock.now(), epochs: by })
    if (typeof result !== 'string') plan(expiryOf(watched))
    else if (remove(userKey, watched)) end(watched)
  }

  function end({ onEnd }: WatchedConnection): void {
    runListener(onEnd, failed)
  }

  function remove(userKey: string, watched: WatchedConnection): boolean {
    const all = byUser.get(userKey)
    const isRemoved = all?.delete(watched) ?? false
    if (all?.size === 0) byUser.delete(userKey)
    return isRemoved
  }

  /** Starts the timer, unless it runs out before. */
  function plan(at: number): void {
    if (next && next.at <= at) return
    next?.cancel()
    const cancel = clock.after(Math.max(0, at - clock.now()) * 1000, () => {
      next = undefined
      if (byUser.size === 0) return
      plan(clock.now() + checkedEvery)
      checkAll([...byUser.keys()])
    })
    next = { at, cancel }
  }

  function checkAll(userKeys: readonly string[]): void {
    for (const userKey of userKeys.slice(0, maxInTurn)) check(userKey)
    const rest = userKeys.slice(maxInTurn)
    if (rest.length > 0) clock.after(0, () => checkAll(rest))
  }

  return {
    watch(verification, onEnd) {
      const watched: WatchedConnection = { ...verification, onEnd }
      const userKey = userKeyOf(verification.user)
      const userConnections = byUser.get(userKey)
      if (userConnections) userConnections.add(watched)
      else byUser.set(userKey, new Set([watched]))
      plan(Math.min(expiryOf(verification), clock.now() + checkedEvery))
      // It may have ended since it was checked.
      queueMicrotask(() => settleOne(userKey, watched, ifKnown))
      return () => void remove(userKey, watched)
    },
  }
}
