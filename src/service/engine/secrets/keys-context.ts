import type { Clock } from '../../../ground/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { FailureLog } from '../monitoring/failure-log.ts'
import type { Random } from '../base/random.ts'
import type { Secrets } from './secrets.ts'
import type { Store } from '../database/store.ts'
import type { KeyRing, RingKey } from './key-ring.ts'

/** The source of a service's keys. */
export interface KeySource {
  /** Undefined if the keys are not in a key file. */
  readonly file: string | undefined
  /** The current key ring. */
  readonly read: () => Promise<KeyRing>
}

/** The keys of a running service. */
export interface ServiceKeys {
  readonly secrets: Secrets
  readonly nodeId: string
  /** Undefined if there is none. */
  readonly file: string | undefined
  /** All keys, the one for writing first. */
  readonly ring: () => KeyRing
  /** The key for writing: the first one as soon as every running node knows it. */
  readonly writing: () => RingKey
  /** Reloads the key file and adopts what it can; runs automatically every 10 seconds. */
  readonly refresh: () => Promise<void>
  /** Writes all keys to a new file, mode 0600; rejects if the file exists. */
  readonly save: (path: string) => Promise<void>
  /** Removes this node from the list of running nodes. */
  readonly close: () => Promise<void>
}

export interface KeysContext {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly failures?: Pick<FailureLog, 'covers'>
}
