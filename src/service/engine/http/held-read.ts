import { maxWait } from '../../../contract/sessions.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { startsWaiting } from './admission.ts'
import type { Reader } from '../base/reader.ts'

/** Seconds of `Prefer: wait=N` (RFC 7240 section 4.3), at most `maxWait`; undefined if absent or invalid. */
export function preferredWait(prefer: string | undefined): number | undefined {
  const [, seconds] = /(?:^|[,\s])wait\s*=\s*"?(\d+)"?\s*(?=$|[,;])/i.exec(prefer ?? '') ?? []
  return seconds === undefined ? undefined : Math.min(Number(seconds), maxWait)
}

/** A read that is held until its value changes. */
export interface HoldableRead<T> {
  /** The key that wakes it; see `waiterKey`. */
  readonly key: string
  /** Seconds. */
  readonly wait: number
  /** May disconnect. */
  readonly reader: Reader
  readonly read: () => Promise<T>
  /** Unix time at which the value changes without an event, or `Infinity`; undefined if this value can be returned now. */
  readonly changesAt: (value: T) => number | undefined
  /**
   * Takes a place to wait. @returns a function that leaves it; undefined if none is free, and the value is returned at once.
   */
  readonly takePlace?: (value: T) => (() => void) | undefined
}

/** Reads until the value changes or the wait is over, and returns the last value. */
export async function heldRead<T>(ctx: Pick<ServiceContext, 'clock' | 'waiters'>, read: HoldableRead<T>): Promise<T> {
  if (read.wait === 0) return read.read()
  const subscription = ctx.waiters.subscribe(read.key)
  let over = false
  let leave: (() => void) | undefined
  const end = () => {
    over = true
    subscription.giveUp()
  }
  const stopTimer = ctx.clock.after(read.wait * 1000, end)
  read.reader.once('close', end)
  try {
    for (;;) {
      const value = await read.read()
      const changesAt = read.changesAt(value)
      if (over || ctx.waiters.closed() || changesAt === undefined) return value
      leave ??= read.takePlace ? read.takePlace(value) : () => {}
      if (!leave) return value
      startsWaiting(read.reader)
      const stopAlarm = alarm(ctx, changesAt, () => subscription.wake())
      const hasChanged = await subscription.woken()
      stopAlarm()
      // When many waits end at the same moment, none of them reads again.
      if (!hasChanged) return value
    }
  } finally {
    stopTimer()
    read.reader.off('close', end)
    subscription.end()
    leave?.()
  }
}

/** @param time Unix time; `Infinity` for never. @returns a function that cancels the alarm. */
export function alarm({ clock }: Pick<ServiceContext, 'clock'>, time: number, ring: () => void): () => void {
  const remaining = time - clock.now()
  // It can pass while the value is read.
  if (remaining <= 0) ring()
  return remaining > 0 && Number.isFinite(remaining) ? clock.after(remaining * 1000, ring) : () => {}
}
