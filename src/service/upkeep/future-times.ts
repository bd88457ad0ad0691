import { repeat } from '../../ground/clock.ts'
import type { ServiceContext } from '../engine/context/service-context.ts'
import { inSteps } from '../engine/base/in-steps.ts'
import type { NoticingClock } from '../engine/base/noticing-clock.ts'
import { latestBeginning } from '../engine/base/present.ts'
import { accessCorrections, hasFutureTimes, waitCorrections } from './future-time-statements.ts'
import type { Correction } from './future-time-statements.ts'
import { sweepStep } from '../engine/database/due.ts'
import { readTrustedClock } from '../engine/audit/trusted-clock.ts'

type Context = Pick<ServiceContext, 'store' | 'clock' | 'logger'>

/** How often to check whether the machine's clock was set back, seconds. */
const interval = 60
/** The maximum age of the trusted time, which each sweep stores. Seconds. */
const trustedTimeLag = 15 * 60

/**
 * Corrects times that a clock has set in the future: locks end, and codes are valid, at most their usual length from now.
 * The steps may take minutes together, so each one reads the clock: rows created meanwhile are not in the future.
 *
 * @param waits For locks, budgets and pauses. By default rows of nodes whose clocks are slightly ahead stay unchanged.
 */
export async function correctFutureTimes(
  ctx: Context,
  waits: (now: number) => Correction = (now) => ({ future: latestBeginning(now), now }),
  signal?: AbortSignal,
): Promise<void> {
  const { db } = ctx.store
  const { clock } = ctx
  const steps = { size: sweepStep, signal }
  const { trustedAt } = await readTrustedClock(db, clock.now())
  const ofAccess = (wallTime: number): Correction => ({
    future: latestBeginning(Math.max(wallTime, trustedAt + trustedTimeLag)),
    now: wallTime,
  })
  const now = clock.now()
  if (!(await hasFutureTimes(db, waits(now), ofAccess(now)))) return
  for (const rows of waitCorrections) await inSteps(steps, () => rows.correctSome(db, waits(clock.now())))
  for (const rows of accessCorrections) await inSteps(steps, () => rows.correctSome(db, ofAccess(clock.now())))
}

/** Checks once a minute whether the machine's clock was set back. */
export function watchClock(ctx: Context, clock: NoticingClock): { stop(): Promise<void> } {
  const ending = new AbortController()
  let running = Promise.resolve()
  const cancel = repeat(clock, interval * 1000, () => {
    if (clock.wasSetBack()) running = running.then(correct)
  })

  async function correct(): Promise<void> {
    // It was set back after the last check, and a wait must not last longer than its length from then on.
    const sinceLastLook = (now: number): Correction => ({ future: now, now: now - interval })
    await correctFutureTimes(ctx, sinceLastLook, ending.signal).catch((error: unknown) =>
      ctx.logger.warn({ err: error }, 'times in the future could not be corrected'),
    )
  }

  return {
    async stop() {
      ending.abort()
      cancel()
      await running
    },
  }
}
