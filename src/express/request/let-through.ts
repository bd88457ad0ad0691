import { isBeforeEnd } from '../../ground/clock.ts'
import { letThroughTime } from '../session/mfa-state.ts'
import type { MfaState } from '../session/mfa-state.ts'
import type { RequestContext } from './context.ts'

/** Only the app's own `failMode` lets users pass, for minutes; `requireMfa()` ignores it. */
export function isLetThrough({ letThrough }: MfaState, { mfa, userKey }: RequestContext): boolean {
  if (!mfa.options.failMode) return false
  if (letThrough === undefined || letThrough.userKey !== userKey) return false
  return isBeforeEnd(letThrough.until, letThroughTime, mfa.options.clock.now())
}
