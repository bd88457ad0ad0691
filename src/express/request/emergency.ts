import { emergencyVariable, isOpen, timeOf } from '../options/emergency.ts'
import type { RequestContext } from './context.ts'
import { emit } from './events.ts'
import type { WebRequest } from './web-request.ts'
import { warn } from './warn.ts'

/** The time between two warnings, s. */
const interval = 60

/** Who has passed since the last warning of an `mfa()`. */
interface Minute {
  readonly since: number
  readonly users: Set<string | undefined>
}

const minutes = new WeakMap<RequestContext['mfa'], Minute>()

/**
 * Whether the second step is off, so that the gate and `requireMfa()` let this request pass. Nothing else changes: nobody is verified, and
 * nothing is stored. Warns once a minute, and tells the app once a minute of each user.
 */
export function passesInEmergency({ req, context }: Pick<WebRequest, 'req' | 'context'>): boolean {
  const { mfa, userKey } = context
  const { clock, emergencyUntil: until } = mfa.options
  if (until === undefined || !isOpen(until, clock)) return false
  const users = usersOf(mfa, clock.now(), until)
  if (!users.has(userKey)) emit(req, context, { type: 'gate.emergency', until })
  users.add(userKey)
  return true
}

function usersOf(mfa: RequestContext['mfa'], now: number, until: number): Set<string | undefined> {
  const current = minutes.get(mfa)
  if (current && now - current.since < interval) return current.users
  const users = new Set<string | undefined>()
  minutes.set(mfa, { since: now, users })
  warn(mfa.options, `users pass without the second step until ${timeOf(until)}, because ${emergencyVariable} is set`)
  return users
}
