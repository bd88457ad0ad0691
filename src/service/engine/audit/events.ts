import type { ApprovalDecision } from '../../../contract/approval-facts.ts'
import type { ApprovalReason } from '../../../contract/approval-state.ts'
import { forSentFactors } from '../../../contract/factor-descriptions.ts'
import type { AdminRole } from '../../../contract/roles.ts'
import type { Factor } from '../../../contract/factor.ts'
import type { Budget } from '../../../contract/known-browser.ts'
import type { SessionReason } from '../../../contract/sessions.ts'
import type { Actor } from './entry.ts'

/** The facts events can have: ids, states, reasons, counts. Never a code, number, seed, key, PIN, name or e-mail address. */
interface FactTypes {
  session: string
  domain: string
  user: string
  token: string
  device: string | null
  hardware: string
  passkey: string
  bypass: string
  apiKey: string
  /** The public id of an encryption key. */
  key: string
  factor: Factor | null
  reason: SessionReason | ApprovalReason | KeyRefusal | 'unknown_code' | 'throttled' | null
  /** Whether the user had to type a number. */
  numbered: boolean
  role: 'admin' | 'auth' | AdminRole
  administrator: string
  invitation: string
  consent: string
  /** The name of an operation of the console. */
  operation: string
  verification: string
  /** A client of the OpenID provider. */
  client: string
  /** How sure the provider is of the user, and by which methods (RFC 8176), with blanks between them. */
  acr: string
  amr: string
  /** An error code of OAuth 2.0 or OpenID Connect. */
  error: string
  approval: string
  /** SHA-256 of the content of an approval, hexadecimal. */
  digest: string
  decision: ApprovalDecision
  /** Wrong codes in a row, wrong PINs, or wrong activation codes in an hour. */
  failures: number
  /** The budget of the user's known browsers together, or that of everything else. */
  budget: Budget
  /** Unix time, seconds. */
  until: number
  before: number
  /** Names of the changed fields, not their values. */
  fields: string
  uses: number
  count: number
  added: number
  changed: number
  removed: number
  /** A chain of the trail, and its last entry concerned. */
  chain: string
  through: number
  /** Deviations in a trail that was verified. */
  findings: number
  /** The format of an exported file. */
  format: 'csv' | 'jsonl'
  /** A job of an administrator on many people, and what became of them. */
  job: string
  skipped: number
  /** The filter of an export, such as `event=session.denied since=1795000000`; empty for all entries. */
  filter: string
}

const ofSession = ['session', 'domain', 'user'] as const

const ofJob = ['job', 'operation', 'domain', 'changed', 'skipped', 'failures'] as const

const ofApproval = ['approval', 'domain'] as const

const ofClient = ['client', 'domain'] as const

const ofCall = ['verification', 'administrator', 'domain', 'user', 'device'] as const

/** All events, each with its facts. */
export const auditEvents = {
  'session.created': [...ofSession, 'device', 'numbered'],
  'session.approved': [...ofSession, 'device', 'factor'],
  'session.denied': [...ofSession, 'device', 'factor', 'reason'],
  /** The person said of a request that it was not theirs: `count` requests were denied, in every domain, this one included if it waited. */
  'session.reported': [...ofSession, 'device', 'count'],
  'session.expired': ofSession,
  'session.cancelled': ofSession,
  'session.redeemed': [...ofSession, 'factor'],
  'session.redeem_refused': ofSession,
  'codes.locked': ['user', 'failures', 'until', 'budget'],
  'codes.refused': ['domain', 'user', 'budget'],
  'codes.unlocked': ['user'],
  'push.throttled': ['domain', 'user', 'budget'],
  'push.unlocked': ['user'],
  ...forSentFactors((factor) => `${factor}_code.sent` as const, ['domain', 'user']),
  'token.issued': ['token', 'domain', 'user'],
  /** A link that sets up a device, until that time: mailed to the user, or shown to an administrator. */
  'enrollment.mailed': ['domain', 'user', 'until'],
  'enrollment.link_shown': ['domain', 'user', 'until'],
  'token.revoked': ['token', 'domain', 'user'],
  'token.replacement_issued': ['token', 'domain', 'user', 'until'],
  'token.replacement_withdrawn': ['token', 'domain', 'user'],
  'activation.used': ['token', 'domain', 'user', 'device'],
  'activation.failed': ['reason'],
  /** More than `triesAlert`; recorded once an hour. */
  'activation.many_failed': ['failures'],
  /** All of `triesPerService` are used up; recorded once an hour. */
  'activation.suspended': ['failures'],
  'device.renamed': ['device', 'domain', 'user'],
  'device.revoked': ['device', 'domain', 'user'],
  'device.removed': ['device', 'domain', 'user'],
  'device.replay_refused': ['device', 'domain', 'user'],
  'device.forgery_refused': ['device', 'domain', 'user'],
  'pin.refused': ['device', 'domain', 'user', 'failures'],
  'pin.exhausted': ['device', 'domain', 'user', 'failures'],
  'user.created': ['user'],
  'user.changed': ['user', 'fields'],
  'user.deleted': ['user'],
  /** All factors were removed; a first one can be enrolled again. */
  'user.reset': ['user'],
  /** The user has to pass the second step again everywhere. */
  'user.sessions_ended': ['user'],
  /** The reader of the mails to the user reported that one was not them. */
  'user.mail_reported': ['user'],
  'membership.added': ['domain', 'user'],
  'membership.removed': ['domain', 'user'],
  'membership.synchronized': ['domain', 'added', 'changed', 'removed'],
  'hardware.created': ['hardware'],
  'hardware.imported': ['count'],
  'hardware.renamed': ['hardware'],
  'hardware.deleted': ['hardware'],
  'hardware.enrolled': ['hardware', 'domain', 'user'],
  'hardware.assigned': ['hardware', 'user'],
  'hardware.released': ['user'],
  /** An administrator corrected its clock by two codes. */
  'hardware.resynchronized': ['hardware', 'user'],
  /** An app that another system made, with `count` recovery codes: from a file, or when its first code was right. */
  'factors.imported': ['hardware', 'domain', 'user', 'count'],
  /** A batch of an import: the factors of `count` users, of whom `added` are new, while those of `skipped` stayed as they were. */
  'factors.batch_imported': ['domain', 'count', 'added', 'skipped'],
  'passkey.added': ['passkey', 'domain', 'user'],
  'passkey.renamed': ['passkey', 'domain', 'user'],
  /** It has no domain if all factors of the user were removed. */
  'passkey.removed': ['passkey', 'domain', 'user'],
  /** The passkey's signature counter did not grow: another authenticator may have the same key. */
  'passkey.counter_regressed': ['passkey', 'domain', 'user'],
  'bypass.created': ['bypass', 'user', 'uses', 'until'],
  'bypass.deleted': ['bypass', 'user'],
  'bypass.all_deleted': ['user', 'count'],
  /** A user passed in a browser that was not known for the user; it is known until that time. */
  'browser.known': ['domain', 'user', 'until'],
  'browser.remembered': ['domain', 'user', 'until'],
  /** The user chose on the device to keep a browser, or used a passkey in it: it shows its key until that time. */
  'browser.kept': ['domain', 'user', 'until'],
  'browser.forgotten': ['domain', 'user'],
  'browsers.forgotten': ['user'],
  'organization.created': [],
  /** The app's name changed. */
  'organization.renamed': [],
  'domain.created': ['domain'],
  'domain.changed': ['domain', 'fields'],
  /** The app lets its users pass without the second step until that time. */
  'domain.emergency': ['domain', 'until'],
  'domain.image_set': ['domain'],
  'domain.image_removed': ['domain'],
  'api_key.created': ['apiKey', 'role', 'domain'],
  'api_key.revoked': ['apiKey'],
  /** A request without a valid key. Without a reason: how many more arrived within a minute. */
  'api_key.refused': ['reason', 'count'],
  'administrator.invited': ['invitation', 'role'],
  'administrator.invitation_withdrawn': ['invitation'],
  'administrator.registered': ['administrator', 'invitation', 'role'],
  'administrator.signed_in': ['administrator', 'passkey'],
  /** A passkey was used again, so that changes are allowed. */
  'administrator.confirmed': ['administrator', 'passkey'],
  /** A wrong answer to a ceremony of the console. */
  'administrator.sign_in_refused': [],
  'administrator.signed_out': ['administrator'],
  'administrator.sessions_ended': ['administrator', 'count'],
  'administrator.changed': ['administrator', 'role', 'fields'],
  'administrator.revoked': ['administrator'],
  /** An owner has said that a user is the administrator, or somebody else. */
  'administrator.record_linked': ['administrator', 'user'],
  'administrator.record_denied': ['administrator', 'user'],
  'administrator.passkey_added': ['administrator', 'passkey'],
  'administrator.passkey_removed': ['administrator', 'passkey'],
  /** The help desk asked another administrator to consent to an action on a person. */
  'consent.requested': ['consent', 'user', 'operation'],
  'consent.given': ['consent', 'user', 'operation'],
  'consent.denied': ['consent', 'user', 'operation'],
  'consent.used': ['consent', 'user', 'operation'],
  /** The passkey's signature counter did not grow: another authenticator may have the same key. */
  'administrator.passkey_counter_regressed': ['administrator', 'passkey'],
  /** The help desk asks a device whether its user is on the phone. */
  /** `count` people are asked to approve an action, which only its digest names here. */
  'approval.created': [...ofApproval, 'digest', 'count'],
  'approval.answered': [...ofApproval, 'digest', 'user', 'device', 'decision'],
  'approval.approved': [...ofApproval, 'digest'],
  'approval.denied': [...ofApproval, 'digest', 'reason'],
  'approval.expired': ofApproval,
  'approval.cancelled': ofApproval,
  'approval.redeemed': ofApproval,
  'approval.redeem_refused': ofApproval,
  /** Nobody was asked: a limit was used up, or a person has blocked the requester. */
  'approval.refused': ['domain', 'reason'],
  /** The person did not ask for this: the requester cannot ask them until that time. */
  'approval.requester_blocked': [...ofApproval, 'user', 'until'],
  'approval.requester_unblocked': ['domain', 'user'],
  'oidc.client_added': ofClient,
  'oidc.client_changed': [...ofClient, 'fields'],
  'oidc.client_secret_rotated': ofClient,
  'oidc.client_removed': ofClient,
  /** A wrong secret of a client. */
  'oidc.secret_refused': ofClient,
  /** The client of the OpenID provider learns that the user has signed in. */
  'oidc.signed_in': [...ofClient, 'user', 'acr', 'amr'],
  /** The client gets an error instead. */
  'oidc.refused': [...ofClient, 'error'],
  /** A key that the provider signs with: published now, and used in two days. */
  'oidc.key_added': ['key'],
  /** It signs at once, and `count` others ended. */
  'oidc.keys_replaced': ['key', 'count'],
  'caller.asked': ofCall,
  'caller.confirmed': ofCall,
  /** The person did not call, reported it, or typed a wrong number. */
  'caller.denied': [...ofCall, 'reason'],
  /** The limits of a person or of an administrator are reached. */
  'caller.throttled': ['domain', 'user', 'administrator'],
  'keys.rotated': ['key', 'count'],
  /** A backup was restored: `before` is when it was made, `count` the number of revocations that were applied again. */
  'database.restored': ['before', 'count'],
  /** A SQLite file was moved to PostgreSQL, with `count` rows. */
  'database.moved': ['count'],
  /** The database no longer has the last `count` entries that a process wrote to a chain. */
  'database.loss_noticed': ['chain', 'through', 'count'],
  'audit.pruned': ['chain', 'through', 'removed', 'before'],
  'audit.suppressed': ['count'],
  /** An administrator downloaded entries. */
  'audit.exported': ['format', 'filter'],
  /** The organization's entries were verified, for an administrator of the console. */
  'audit.verified': ['count', 'findings'],
  /** An administrator downloaded a list of people. */
  'people.exported': ['format', 'filter'],
  /** The seeds of `count` apps and hardware tokens were written to an encrypted file; `skipped` other factors stay. Without a domain: of all. */
  'factors.exported': ['domain', 'count', 'skipped'],
  /** A preview of an action on many people, with the number of people that it looked at. Without a domain if it is about none. */
  'bulk.previewed': ['job', 'operation', 'domain', 'count'],
  /** Each change names the job too. */
  'bulk.started': ['job', 'operation', 'domain', 'count'],
  'bulk.finished': ofJob,
  'bulk.cancelled': ofJob,
  /** The job's administrator lost the access that it needs. */
  'bulk.stopped': ofJob,
  /** An administrator downloaded what became of its people, or would. */
  'bulk.report_exported': ['job', 'operation', 'domain', 'count'],
} as const satisfies Record<string, readonly (keyof FactTypes)[]>

export type EventName = keyof typeof auditEvents

export const eventNames = Object.keys(auditEvents) as EventName[]

export type FactsOf<E extends EventName> = {
  readonly [F in (typeof auditEvents)[E][number]]: E extends
    | 'api_key.created'
    | 'passkey.removed'
    | 'factors.exported'
    | `bulk.${string}`
    ? F extends 'domain'
      ? string | null
      : FactTypes[F]
    : FactTypes[F]
}

/** An event as handlers report it. */
export type Audited = {
  readonly [E in EventName]: {
    readonly event: E
    readonly facts: FactsOf<E>
    readonly organizationId: string | null
    /** The actor, if it differs from the context's. */
    readonly actor?: Actor
    /** The address, if it differs from the context's. */
    readonly address?: string | null
  }
}[EventName]

/** Why a request carries no valid API key. */
export type KeyRefusal = 'no_key' | 'other_scheme' | 'malformed_key' | 'unknown_key'
