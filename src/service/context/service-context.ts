import type { IncomingMessage } from 'node:http'

import type { Clock } from '../../clock.ts'
import type { Actor } from '../audit/entry.ts'
import type { RefusalLimit } from '../audit/refusals.ts'
import type { RefusedKeys } from '../audit/refused-keys.ts'
import type { Trail } from '../audit/trail.ts'
import type { FailureLog } from '../monitoring/failure-log.ts'
import type { HeldLimits, HeldPlaces } from '../waiting/places.ts'
import type { Logger } from '../ground/logger.ts'
import type { LogLimit } from '../ground/log-limit.ts'
import type { ChangeMails } from '../mail/change-mails.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Observer } from '../monitoring/observer.ts'
import type { Pusher } from '../push/pusher.ts'
import type { Random } from '../rules/random.ts'
import type { SettledFeed } from '../waiting/settled-feed.ts'
import type { HeldKeys } from '../keys/held-keys.ts'
import type { Secrets } from '../sealing/secrets.ts'
import type { Store } from '../store/store.ts'
import type { Waiters } from '../waiting/waiters.ts'

/** What a service consists of; everything it does gets it as an argument. */
export interface ServiceContext {
  /** What devices sign their calls for. */
  readonly serviceId: string
  readonly store: Store
  readonly secrets: Secrets
  readonly keys: HeldKeys
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
  readonly logLimit: LogLimit
  readonly addressOf: ReadAddress
  /** Who acts, where a handler does not say otherwise: for the audit trail. */
  readonly actor: Actor
  /** Where the actor is, as far as that is known. */
  readonly address: string | null
  /** Names the request that is being answered, in log lines and audit entries; absent where nobody asked. */
  readonly requestId?: string
  /** How long entries of the audit trail are kept, days. */
  readonly auditRetention: number
  /** Whether bypass codes can be read again, or are shown only when they are made. */
  readonly bypassCodes: 'readable' | 'once'
  readonly observer: Observer
  /** Nothing where no mail can be sent. */
  readonly mailer: Mailer | undefined
  /** The same, for mail about changes of factors. */
  readonly changeMails: ChangeMails | undefined
  /** Nothing where nothing is pushed. */
  readonly pusher: Pusher | undefined
}

/** Answers the address a request comes from; undefined if it is not known. */
export type ReadAddress = (req: IncomingMessage) => string | undefined

/** Wrong activation codes, requests, and people who are asked. */
export interface Limits extends HeldLimits {
  /** In 10 minutes. */
  readonly triesPerAddress: number
  /** In an hour. */
  readonly triesPerService: number
  /** In an hour, from where on the operator is told. */
  readonly triesAlert: number
  /** In 10 minutes. */
  readonly pushedUsersPerAddress: number
  /** Of the REST interface, of each API key and of each address without one. */
  readonly requestsPerSecond: number
  /** At once. */
  readonly concurrentRequests: number
  /** Milliseconds. */
  readonly responseTime: number
}
