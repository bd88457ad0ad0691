import type { ServerResponse } from 'node:http'

import { maxWait } from '../../contract/sessions.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { startsWaiting } from './admission.ts'

/** Seconds of `Prefer: wait=N` (RFC 7240 section 4.3), at most `maxWait`; nothing where it is absent or makes no sense. */
export function preferredWait(prefer: string | undefined): number | undefined {
  const [, seconds] = /(?:^|[,\s])wait\s*=\s*"?(\d+)"?\s*(?=$|[,;])/i.exec(prefer ?? '') ?? []
  return seconds === undefined ? undefined : Math.min(Number(seconds), maxWait)
}

/** What a held read is about. */
export interface Held<T> {
  /** What wakes it; see `waiterKey`. */
  readonly key: string
  /** Seconds. */
  readonly wait: number
  /** Its reader may go away. */
  readonly res: ServerResponse
  readonly read: () => Promise<T>
  /** Unix time at which the value changes by itself, `Infinity` for never; nothing where it is what was waited for. */
  readonly changesAt: (value: T) => number | undefined
  /** Takes a place to wait in. @returns how to leave it; undefined where there is none: then the value is the answer. */
  readonly takePlace?: (value: T) => (() => void) | undefined
}

/** Reads until there is news or the wait is over, and answers what it read last. */
export async function heldRead<T>(ctx: Pick<ServiceContext, 'clock' | 'waiters'>, held: Held<T>): Promise<T> {
  if (held.wait === 0) return held.read()
  const subscription = ctx.waiters.subscribe(held.key)
  let over = false
  let leave: (() => void) | undefined
  const end = () => {
    over = true
    subscription.giveUp()
  }
  const stopTimer = ctx.clock.after(held.wait * 1000, end)
  held.res.once('close', end)
  try {
    for (;;) {
      const value = await held.read()
      const changesAt = held.changesAt(value)
      if (over || ctx.waiters.closed() || changesAt === undefined) return value
      leave ??= held.takePlace ? held.takePlace(value) : () => {}
      if (!leave) return value
      startsWaiting(held.res)
      const stopAlarm = alarm(ctx, changesAt, () => subscription.wake())
      const news = await subscription.woken()
      stopAlarm()
      // Many end in the same moment: each would read once more what it knows.
      if (!news) return value
    }
  } finally {
    stopTimer()
    held.res.off('close', end)
    subscription.end()
    leave?.()
  }
}

/** @param time Unix time; `Infinity` for never. @returns what takes the alarm back. */
export function alarm({ clock }: Pick<ServiceContext, 'clock'>, time: number, ring: () => void): () => void {
  return Number.isFinite(time) ? clock.after((time - clock.now()) * 1000, ring) : () => {}
}
