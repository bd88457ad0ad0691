/** The trusted time; all in seconds. */
export interface TrustedTime {
  /** Advances with the time that processes run, independent of the machine's clock. Unix time. */
  readonly trustedAt: number
  /** The machine's clock at that moment. Unix time. */
  readonly wallAt: number
  /** How long both have run in step. */
  readonly agreed: number
}

/** How long both have to run in step until the machine's clock is trusted, seconds. */
export const agreementNeeded = 3_600
/** The tolerated difference between the clock and the elapsed time, seconds: timers are late on a busy machine. */
const tolerance = 30
/** A longer stop of the service, or a longer jump over a restart, seconds. */
const longStop = 3_600

/**
 * Advances the time while the process runs.
 *
 * @param before The time this process knew.
 * @param elapsed The elapsed time by timers, which do not follow the machine's clock.
 * @param wall The machine's clock now.
 */
export function passTime(before: TrustedTime, elapsed: number, wall: number): TrustedTime {
  const alike = Math.abs(wall - before.wallAt - elapsed) <= tolerance
  const agreed = alike ? before.agreed + elapsed : 0
  const trustedAt = agreed >= agreementNeeded ? wall : before.trustedAt + elapsed
  return { trustedAt, wallAt: wall, agreed }
}

/**
 * The time at the start of a process. After a long stop its length is unknown, so the clock has to run in step for an hour
 * again.
 */
export function resumeTime(stored: TrustedTime, wall: number): TrustedTime {
  const stopped = wall - stored.wallAt
  return { ...stored, wallAt: wall, agreed: stopped >= -tolerance && stopped <= longStop ? stored.agreed : 0 }
}
