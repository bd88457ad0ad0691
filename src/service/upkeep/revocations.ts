import { z } from 'zod'

import { parseJson } from '../../contract/validate.ts'
import type { AuditEntry } from '../engine/audit/entry.ts'
import type { EventName } from '../engine/audit/events.ts'
import type { Logger } from '../engine/base/logger.ts'

/**
 * Events that revoke something for good. An older backup would restore it, so each one is logged at the default level, and
 * `restore --revocations` applies those log lines again.
 */
const revocationEvents = [
  'token.revoked',
  'device.revoked',
  'device.removed',
  'user.deleted',
  'user.reset',
  'membership.removed',
  'hardware.deleted',
  'hardware.released',
  'passkey.removed',
  'api_key.revoked',
  'administrator.revoked',
  'oidc.client_removed',
  'oidc.client_secret_rotated',
  'oidc.keys_replaced',
] as const satisfies readonly EventName[]

type RevocationEvent = (typeof revocationEvents)[number]

const isRevocation = (event: string): event is RevocationEvent => revocationEvents.some((name) => name === event)

const RevocationLine = z.object({
  revocation: z.object({
    event: z.enum(revocationEvents),
    /** Unix time, seconds. */
    at: z.int(),
    facts: z.record(z.string(), z.unknown()),
  }),
})

export interface Revocation {
  readonly event: RevocationEvent
  readonly at: number
  /** Ids by kind: `user`, `domain`, `token`, `device`, `hardware`, `passkey`, `apiKey`, `administrator`, `client`. */
  readonly ids: Readonly<Record<string, string>>
}

/** Logs a committed audit entry if it revokes something. */
export function logRevocation(logger: Logger, { event, at, facts }: AuditEntry): void {
  if (isRevocation(event)) logger.warn({ revocation: { event, at, facts } }, 'revoked')
}

/** Reads the revocations from a service's log, in the order of the log. Other lines are skipped. */
export function readRevocations(log: string): Revocation[] {
  return log.split('\n').flatMap((line) => {
    if (!line.includes('"revocation"')) return []
    const parsed = RevocationLine.safeParse(parseJson(line))
    if (!parsed.success) return []
    const { event, at, facts } = parsed.data.revocation
    const ids = Object.entries(facts).filter((fact): fact is [string, string] => typeof fact[1] === 'string')
    return [{ event, at, ids: Object.fromEntries(ids) }]
  })
}
