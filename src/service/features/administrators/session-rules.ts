import { freshFor, sessionIdle, sessionLifetime } from '../../../contract/admin/roles.ts'
import { latestBeginning } from '../../engine/base/present.ts'

/** The times of a session of an administrator, Unix seconds. */
interface Times {
  readonly signedInAt: number
  readonly usedAt: number
  readonly passedAt: number
}

/** Whether a session has ended. One that was used in the future was stored by a clock that was ahead. */
export const hasEnded = ({ signedInAt, usedAt }: Omit<Times, 'passedAt'>, now: number): boolean =>
  now >= signedInAt + sessionLifetime || now >= usedAt + sessionIdle || usedAt > latestBeginning(now)

/** Whether a passkey was used lately enough for changes. */
export const isFresh = ({ passedAt }: Pick<Times, 'passedAt'>, now: number): boolean =>
  now < passedAt + freshFor && passedAt <= latestBeginning(now)
