import type { Factor } from '../../contract/users.ts'
import type { SessionReason } from '../../contract/sessions.ts'
import type { Actor } from './entry.ts'

/** What can be said of an event: ids, states, reasons, counts. Never a code, number, seed, key, PIN, name or e-mail address. */
interface FactTypes {
  session: string
  domain: string
  user: string
  token: string
  device: string | null
  hardware: string
  bypass: string
  apiKey: string
  /** Which encryption key: its public id. */
  key: string
  factor: Factor | null
  reason: SessionReason | 'unknown_code' | 'throttled' | null
  /** Whether a number had to be typed. */
  numbered: boolean
  role: 'admin' | 'auth'
  /** Wrong codes in a row, or wrong PINs. */
  failures: number
  /** Unix time, seconds. */
  until: number
  before: number
  /** Names of what was changed, not what it is now. */
  fields: string
  uses: number
  count: number
  added: number
  changed: number
  removed: number
  /** A chain of this trail, and up to which entry. */
  chain: string
  through: number
}

const ofSession = ['session', 'domain', 'user'] as const

/** All there is, each with the facts it carries. */
export const auditEvents = {
  'session.created': [...ofSession, 'device', 'numbered'],
  'session.approved': [...ofSession, 'device', 'factor'],
  'session.denied': [...ofSession, 'device', 'factor', 'reason'],
  'session.expired': ofSession,
  'session.cancelled': ofSession,
  'session.redeemed': [...ofSession, 'factor'],
  'session.redeem_refused': ofSession,
  'codes.locked': ['user', 'failures', 'until'],
  'codes.refused': ['domain', 'user'],
  'codes.unlocked': ['user'],
  'push.throttled': ['domain', 'user'],
  'push.unlocked': ['user'],
  'email_code.sent': ['domain', 'user'],
  'token.issued': ['token', 'domain', 'user'],
  'token.revoked': ['token', 'domain', 'user'],
  'token.replacement_issued': ['token', 'domain', 'user', 'until'],
  'token.replacement_withdrawn': ['token', 'domain', 'user'],
  'activation.used': ['token', 'domain', 'user', 'device'],
  'activation.failed': ['reason'],
  'device.revoked': ['device', 'domain', 'user'],
  'device.removed': ['device', 'domain', 'user'],
  'device.replay_refused': ['device', 'domain', 'user'],
  'device.forgery_refused': ['device', 'domain', 'user'],
  'pin.refused': ['device', 'domain', 'user', 'failures'],
  'pin.exhausted': ['device', 'domain', 'user', 'failures'],
  'user.created': ['user'],
  'user.changed': ['user', 'fields'],
  'user.deleted': ['user'],
  /** All factors taken away; a first one may be set up again. */
  'user.reset': ['user'],
  'membership.added': ['domain', 'user'],
  'membership.removed': ['domain', 'user'],
  'membership.synchronised': ['domain', 'added', 'changed', 'removed'],
  'hardware.created': ['hardware'],
  'hardware.imported': ['count'],
  'hardware.renamed': ['hardware'],
  'hardware.deleted': ['hardware'],
  'hardware.enrolled': ['hardware', 'user'],
  'hardware.assigned': ['hardware', 'user'],
  'hardware.released': ['user'],
  'bypass.created': ['bypass', 'user', 'uses', 'until'],
  'bypass.deleted': ['bypass', 'user'],
  'bypass.all_deleted': ['user', 'count'],
  'browser.remembered': ['domain', 'user', 'until'],
  'browsers.forgotten': ['user'],
  'organization.created': [],
  'domain.created': ['domain'],
  'domain.changed': ['domain', 'fields'],
  'domain.image_set': ['domain'],
  'domain.image_removed': ['domain'],
  'api_key.created': ['apiKey', 'role', 'domain'],
  'api_key.revoked': ['apiKey'],
  'keys.rotated': ['key', 'count'],
  'audit.pruned': ['chain', 'through', 'removed', 'before'],
  'audit.suppressed': ['count'],
} as const satisfies Record<string, readonly (keyof FactTypes)[]>

export type EventName = keyof typeof auditEvents

export const eventNames = Object.keys(auditEvents) as EventName[]

export type FactsOf<E extends EventName> = {
  readonly [F in (typeof auditEvents)[E][number]]: E extends 'api_key.created'
    ? F extends 'domain'
      ? string | null
      : FactTypes[F]
    : FactTypes[F]
}

/** What a handler says happened. */
export type Audited = {
  readonly [E in EventName]: {
    readonly event: E
    readonly facts: FactsOf<E>
    readonly organizationId: string | null
    /** Who acts in the context, where it is nobody else. */
    readonly actor?: Actor
    /** Likewise. */
    readonly address?: string | null
  }
}[EventName]
