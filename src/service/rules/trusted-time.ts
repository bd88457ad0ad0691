/** What is known of the time; all in seconds. */
export interface TrustedTime {
  /** Grows with the time that processes run, whatever the clock of the machine says. Unix time. */
  readonly trustedAt: number
  /** What the clock of the machine said then. Unix time. */
  readonly wallAt: number
  /** For how long both have run alike. */
  readonly agreed: number
}

/** For how long both have to run alike until the clock of the machine is believed, seconds. */
export const agreementNeeded = 3_600
/** How far the clock of the machine may be from the time that has passed, seconds: timers are late on a busy machine. */
const tolerance = 30
/** A stop of the service that is longer than this, or a leap over a restart, seconds. */
const longStop = 3_600

/**
 * Some time has passed while the process ran.
 *
 * @param before As this process knew it.
 * @param elapsed How much, as timers measure it: they do not follow the clock of the machine.
 * @param wall What the clock of the machine says now.
 */
export function passTime(before: TrustedTime, elapsed: number, wall: number): TrustedTime {
  const alike = Math.abs(wall - before.wallAt - elapsed) <= tolerance
  const agreed = alike ? before.agreed + elapsed : 0
  const trustedAt = agreed >= agreementNeeded ? wall : before.trustedAt + elapsed
  return { trustedAt, wallAt: wall, agreed }
}

/** A process starts. After a long stop nobody can tell how long it was: the clock has to run alike for an hour again. */
export function resumeTime(stored: TrustedTime, wall: number): TrustedTime {
  const stopped = wall - stored.wallAt
  return { ...stored, wallAt: wall, agreed: stopped >= -tolerance && stopped <= longStop ? stored.agreed : 0 }
}
