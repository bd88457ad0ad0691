import { emergencyVariable, isEmergency, timeOf } from '../options/emergency.ts'
import type { RequestContext } from './context.ts'
import { emit } from './events.ts'
import type { WebRequest } from './web-request.ts'
import { warn } from './warn.ts'

/** The time between two warnings, s. */
const interval = 60

/** Whose emergency is in the audit trail, or on the way there. */
const recorded = new WeakSet<RequestContext['mfa']>()

/** Records the emergency once, as soon as the service answers: each minute tries. No request waits for it. */
function record(mfa: RequestContext['mfa'], until: number): void {
  if (recorded.has(mfa)) return
  recorded.add(mfa)
  tellService(mfa, until).catch(() => void recorded.delete(mfa))
}

async function tellService({ connect }: RequestContext['mfa'], until: number): Promise<void> {
  const { client, domainId, version } = await connect()
  if (version === '1.4') await client.domains.noteEmergency(domainId, until)
}

/** The users who have passed since the last warning of an `mfa()`. */
interface Minute {
  readonly since: number
  readonly users: Set<string | undefined>
}

const minutes = new WeakMap<RequestContext['mfa'], Minute>()

/**
 * Whether the second step is off, so that the gate and `requireMfa()` let this request pass. Nothing else changes: nobody is verified, and
 * nothing is stored. Warns once a minute, and emits an event once a minute for each user.
 */
export function passesInEmergency({ req, context }: Pick<WebRequest, 'req' | 'context'>): boolean {
  const { mfa, userKey } = context
  const { clock, emergencyUntil: until } = mfa.options
  if (until === undefined || !isEmergency(until, clock)) return false
  const users = usersOf(mfa, clock.now(), until)
  if (!users.has(userKey)) emit(req, context, { type: 'gate.emergency', until })
  users.add(userKey)
  return true
}

function usersOf(mfa: RequestContext['mfa'], now: number, until: number): Set<string | undefined> {
  const current = minutes.get(mfa)
  if (current && now - current.since < interval) return current.users
  record(mfa, until)
  const users = new Set<string | undefined>()
  minutes.set(mfa, { since: now, users })
  warn(mfa.options, `users pass without the second step until ${timeOf(until)}, because ${emergencyVariable} is set`)
  return users
}
