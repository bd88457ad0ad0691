import type { IncomingMessage } from 'node:http'

import type { Because } from '../../../admin-contract/because.ts'
import type { Clock } from '../../../ground/clock.ts'
import type { Actor } from '../audit/entry.ts'
import type { LossWatch } from '../audit/loss-watch.ts'
import type { RefusalLimit } from '../audit/refusals.ts'
import type { RefusedKeys } from '../audit/refused-keys.ts'
import type { Verifications } from '../audit/verifications.ts'
import type { Trail } from '../audit/trail.ts'
import type { FailureLog } from '../monitoring/failure-log.ts'
import type { HeldLimits, HeldPlaces } from '../waiting/places.ts'
import type { Lane } from '../base/lane.ts'
import type { Logger } from '../base/logger.ts'
import type { LogLimit } from '../base/log-limit.ts'
import type { SecurityMails } from '../mail/security-mails.ts'
import type { Observer } from '../monitoring/observer.ts'
import type { Pusher } from '../push/pusher.ts'
import type { Random } from '../base/random.ts'
import type { HashCost } from '../base/slow-hashes.ts'
import type { Senders } from './senders.ts'
import type { SettledFeed } from '../waiting/settled-feed.ts'
import type { ServiceKeys } from '../secrets/keys-context.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Features } from '../steps/feature.ts'
import type { Store } from '../database/store.ts'
import type { Waiters } from '../waiting/waiters.ts'

/** The parts of a service, passed to everything it does. */
export interface ServiceContext {
  /** The audience of calls that devices sign. */
  readonly serviceId: string
  readonly store: Store
  /** The features' steps for events that concern all of them. */
  readonly features: Features
  readonly secrets: Secrets
  readonly keys: ServiceKeys
  readonly waiters: Waiters
  readonly settled: SettledFeed
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly failures: FailureLog
  readonly limits: Limits
  readonly places: HeldPlaces
  readonly trail: Trail
  readonly refusals: RefusalLimit
  readonly refusedKeys: RefusedKeys
  readonly verifications: Verifications
  readonly losses: LossWatch
  /** Where lists wait for their turn. An app that reads many keeps no administrator waiting. */
  readonly lists: { readonly ofApps: Lane; readonly ofConsole: Lane }
  /** Works on the jobs of administrators on many people. */
  readonly bulkJobs: { wake(): void }
  readonly logLimit: LogLimit
  readonly addressOf: ReadAddress
  /** The actor in audit entries, unless a handler names another one. */
  readonly actor: Actor
  /** The actor's address, if known. */
  readonly address: string | null
  /** Id of the current request, for log lines and audit entries; absent outside of requests. */
  readonly requestId?: string
  /** Why an administrator of the console acts on a person; a fact of each audit entry. */
  readonly because?: Because
  /** The job on many people that a change is a part of; a fact of each audit entry. */
  readonly job?: string
  /** How long audit entries are kept, days. */
  readonly auditRetention: number
  /** How long approvals and their proofs are kept, days. */
  readonly approvalRetention: number
  /** Whether bypass codes can be read again, or are shown only when they are created. */
  readonly bypassCodes: 'readable' | 'once'
  /** Whether passkeys can be verified: the package for that is installed. */
  readonly verifiesPasskeys: boolean
  /** Whether a passkey is refused when its signature counter did not grow. */
  readonly refuseClones: boolean
  /** The cost at which PINs and passcodes are hashed from now on. */
  /** Replaces the cost of new PINs and passcodes. */
  readonly pinHashCost?: HashCost | undefined
  /** The checks of PINs that this process has under way. */
  readonly pinChecks: PinChecks
  readonly observer: Observer
  /** What sends codes and other messages. */
  readonly senders: Senders
  /** Sends mail about security events; undefined if no mail server is configured, or by the option `notify`. */
  readonly securityMails: SecurityMails | undefined
  /** The base of links in mails and in the console; undefined if it is not known. */
  readonly authenticatorUrl: string | undefined
  /** Undefined if nothing is pushed. */
  readonly pusher: Pusher | undefined
}

/** The checks of PINs under way, by device and attempt. */
export type PinChecks = Map<string, PinCheck>

export interface PinCheck {
  readonly pin: string
  /** Rejects if the PIN is wrong. */
  readonly result: Promise<void>
}

/** Answers the address a request comes from; undefined if it is not known. */
export type ReadAddress = (req: IncomingMessage) => string | undefined

/** Limits on activation attempts, requests, and users who can be asked. */
export interface Limits extends HeldLimits {
  /** The limit per 10 minutes. */
  readonly triesPerAddress: number
  /** The limit per hour. */
  readonly triesPerService: number
  /** The number per hour that alerts the operator. */
  readonly triesAlert: number
  /** The limit per 10 minutes. */
  readonly pushedUsersPerAddress: number
  /** The limits of the REST interface, for each API key and for each address without one. */
  readonly requestsPerSecond: number
  /** The time of the database work of one request, milliseconds. */
  readonly databaseTime: number
  /** Concurrent requests. */
  readonly concurrentRequests: number
  /** Milliseconds. */
  readonly responseTime: number
}
