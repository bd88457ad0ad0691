import type { Clock } from '../../ground/clock.ts'
import type { Logger } from './app.ts'

/** The variable that opens an app without the second step, for an outage that nobody can fix in time. */
export const emergencyVariable = 'MFA_EMERGENCY_OFF_UNTIL'

/** An emergency must not be forgotten; seconds. */
const maxDuration = 24 * 60 * 60

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/

/**
 * Reads until when the second step is off. A time with a mistake opens nothing, and the log says why.
 *
 * @returns Unix seconds; undefined if it is not off.
 */
export function readEmergency(environment: NodeJS.ProcessEnv, clock: Clock, logger: Logger): number | undefined {
  const text = environment[emergencyVariable]
  if (text === undefined || text === '') return undefined
  const until = time.test(text) ? Date.parse(text) / 1000 : Number.NaN
  if (isEmergency(until, clock)) {
    logger.error(`mfa: the second step is OFF until ${timeOf(until)}, because ${emergencyVariable} is set`)
    return until
  }
  logger.error(`mfa: ${emergencyVariable} ${mistakeIn(until, clock)}, so the second step is required as always`)
  return undefined
}

/** Whether it is an emergency until this time. A clock that is set back does not make it longer. */
export const isEmergency = (until: number | undefined, clock: Clock): boolean => {
  const left = (until ?? 0) - clock.now()
  return left > 0 && left <= maxDuration
}

export const timeOf = (until: number): string => `${new Date(until * 1000).toISOString().slice(0, 19)}Z`

function mistakeIn(until: number, clock: Clock): string {
  if (Number.isNaN(until)) return 'must be a time such as 2026-11-28T20:00:00Z'
  return until > clock.now() ? 'is more than 24 hours ahead' : 'is over: remove it'
}
