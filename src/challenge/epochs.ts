import { clockSkew } from '../ground/clock.ts'
import type { Clock } from '../ground/clock.ts'
import type { EpochWatch } from '../client/settled-stream.ts'
import type { Verified } from './challenge.ts'
import type { ConnectedService } from './service.ts'
import type { MfaUser } from './user.ts'
import { findUser, userKeyOf } from './user.ts'

/** How long an epoch is trusted without a stream that reports changes, seconds. */
const trustedFor = 60
/** When to ask again about a user who is denied because the service was unreachable, seconds. */
const retryAfter = 5
/** The stream is closed this long after the last request of a verified user, seconds: it would keep the process alive. */
const idleAfter = 20
/** About 20 MB. Beyond that, the oldest entry is dropped, and its user looked up again at the next request. */
const maxUsers = 50_000

/** Caches the epochs of recent users, so that almost every request is decided without asking the service. */
export interface Epochs {
  /** Whether `covers` can decide about this user now; otherwise call `refresh` first. */
  isKnown(userKey: string): boolean
  /** Asks the service. Never rejects. @returns what failed, to one of the callers at the same moment. */
  refresh(user: MfaUser): Promise<Unchecked | undefined>
  /** The same for callers that rely on nothing but an answer. Never rejects. @returns whether the service has answered now. */
  confirm(user: MfaUser): Promise<boolean>
  /** Calls back for each user whose epoch the service reports as changed. */
  onChange(listener: (userKey: string) => void): void
  /** Whether the user's epoch is still that of the record. */
  covers(verified: Verified): boolean
  /** The same, where the record of a user who is not known yet is trusted until the service was asked. */
  coversIfKnown(verified: Verified): boolean
  /** Stores the epoch that the service has just returned. */
  update(verified: Verified): void
  /** The user's epoch, if known. */
  current(userKey: string): string | undefined
  /** Makes the next request ask the service about this user again. */
  invalidate(userKey: string): void
}

/** The service was unreachable. */
export interface Unchecked {
  readonly error: unknown
  /** The time until which records count nevertheless, Unix time, seconds. */
  readonly until: number
}

interface EpochOptions {
  readonly connect: () => Promise<ConnectedService>
  readonly clock: Clock
  /** How long records count while the service is unreachable, seconds. */
  readonly maxUnchecked: number
}

interface Entry {
  readonly userKey: string
  /** Whether the service has answered about this user. */
  known: boolean
  /** Undefined if the service has no epochs. */
  epoch: string | undefined
  /** Whether the service does not know this user. */
  gone: boolean
  userId: string | undefined
  /** Unix times, seconds. */
  readAt: number
  readonly since: number
  failedAt: number | undefined
  /** The stream that reports changes since it was read. */
  stream: number | undefined
  /** Whether a stream has reported a change. */
  changed: boolean
  refreshing: Promise<Unchecked | undefined> | undefined
}

export function createEpochs({ connect, clock, maxUnchecked }: EpochOptions): Epochs {
  const entries = new Map<string, Entry>()
  const byId = new Map<string, Set<Entry>>()
  /** One set for each pending read: the users whose epochs changed since it started. */
  const reads = new Set<Set<string>>()
  const listeners = new Set<(userKey: string) => void>()
  /** Whether the service has no epochs: then records end only by age. */
  let unsupported = false
  let watch: EpochWatch | undefined
  let usedAt = 0

  const isDenied = (entry: Entry) => entry.changed || age(checkedAt(entry)) >= maxUnchecked

  /** How long ago a time is, seconds. A time from a clock that was ahead counts as very long ago. */
  function age(time: number): number {
    const now = clock.now()
    return time > now + clockSkew ? Number.POSITIVE_INFINITY : now - time
  }

  /** The last time at which the entry was certainly correct, Unix time, seconds. */
  function checkedAt({ known, since, readAt, stream }: Entry): number {
    if (!known) return since
    const confirmedUntil = stream === undefined ? undefined : watch?.completeUntil(stream)
    return Math.max(readAt, confirmedUntil ?? 0)
  }

  function changedUser(userId: string): void {
    for (const changedNow of reads) changedNow.add(userId)
    for (const entry of byId.get(userId) ?? []) entry.changed = true
    for (const { userKey } of byId.get(userId) ?? []) listeners.forEach((listener) => listener(userKey))
  }

  function openWatch({ client, domainId }: ConnectedService): EpochWatch {
    if (!watch) {
      watch = client.sessions.watchEpochs(domainId, changedUser)
      closeWhenIdle()
    }
    return watch
  }

  function closeWhenIdle(): void {
    clock.after(idleAfter * 1000, () => {
      if (clock.now() - usedAt < idleAfter) return closeWhenIdle()
      for (const entry of entries.values()) {
        entry.readAt = checkedAt(entry)
        entry.stream = undefined
      }
      watch?.end()
      watch = undefined
    })
  }

  function entryOf(userKey: string): Entry {
    const knownEntry = entries.get(userKey)
    if (knownEntry) return knownEntry
    const since = clock.now()
    const unread = { userKey, known: false, epoch: undefined, gone: false, userId: undefined, changed: false }
    const entry: Entry = {
      ...unread,
      readAt: since,
      since,
      failedAt: undefined,
      stream: undefined,
      refreshing: undefined,
    }
    entries.set(userKey, entry)
    if (entries.size > maxUsers) forgetOldest()
    return entry
  }

  function forgetOldest(): void {
    const [oldest] = entries
    if (!oldest) return
    entries.delete(oldest[0])
    bind(oldest[1], undefined)
  }

  function bind(entry: Entry, userId: string | undefined): void {
    if (entry.userId === userId) return
    const previousEntries = entry.userId === undefined ? undefined : byId.get(entry.userId)
    previousEntries?.delete(entry)
    if (entry.userId !== undefined && previousEntries?.size === 0) byId.delete(entry.userId)
    entry.userId = userId
    if (userId === undefined) return
    const currentEntries = byId.get(userId)
    if (currentEntries) currentEntries.add(entry)
    else byId.set(userId, new Set([entry]))
  }

  async function read(entry: Entry, user: MfaUser): Promise<Unchecked | undefined> {
    const changedNow = new Set<string>()
    reads.add(changedNow)
    try {
      const service = await connect()
      unsupported = !service.hasEpochs
      if (unsupported) return undefined
      const stream = openWatch(service).openStream()
      const lookup = await findUser(service, user)
      bind(entry, lookup?.id)
      const changed = lookup !== undefined && changedNow.has(lookup.id)
      Object.assign(entry, { known: true, epoch: lookup?.epoch, gone: !lookup, readAt: clock.now(), stream, changed })
      entry.failedAt = undefined
      return undefined
    } catch (error) {
      entry.failedAt = clock.now()
      return { error, until: checkedAt(entry) + maxUnchecked }
    } finally {
      reads.delete(changedNow)
    }
  }

  async function ask(user: MfaUser): Promise<Unchecked | undefined> {
    const entry = entryOf(userKeyOf(user))
    if (entry.refreshing) {
      await entry.refreshing
      return undefined
    }
    entry.refreshing = read(entry, user)
    try {
      return await entry.refreshing
    } finally {
      entry.refreshing = undefined
    }
  }

  /** A service without epochs is asked whether it knows the user. */
  async function isThere(user: MfaUser): Promise<boolean> {
    try {
      return (await findUser(await connect(), user)) !== undefined
    } catch {
      return false
    }
  }

  function covers(verified: Verified): boolean {
    if (unsupported) return true
    const entry = entries.get(verified.userKey)
    // Unknown users may have changed factors.
    if (!entry || entry.gone || entry.changed) return false
    // Records of a 1.3 service have no epoch, and never end this way.
    if (!entry.known && verified.epoch === undefined) return true
    if (entry.known && !isOf(verified, entry)) return false
    return age(checkedAt(entry)) < Math.max(trustedFor, maxUnchecked)
  }

  return {
    isKnown(userKey) {
      usedAt = clock.now()
      if (unsupported) return true
      const entry = entries.get(userKey)
      if (!entry) return false
      if (entry.failedAt !== undefined) return age(entry.failedAt) < (isDenied(entry) ? retryAfter : trustedFor)
      return entry.known && !entry.changed && age(checkedAt(entry)) < trustedFor
    },

    refresh: ask,

    async confirm(user) {
      await ask(user)
      if (unsupported) return isThere(user)
      const { known, failedAt } = entryOf(userKeyOf(user))
      return known && failedAt === undefined
    },

    onChange: (listener) => void listeners.add(listener),

    covers,

    coversIfKnown: (verified) => !entries.has(verified.userKey) || covers(verified),

    update({ userKey, epoch }) {
      const entry = { known: true, epoch, gone: false, readAt: clock.now(), stream: undefined, changed: false }
      Object.assign(entryOf(userKey), entry).failedAt = undefined
    },

    current: (userKey) => entries.get(userKey)?.epoch,

    invalidate(userKey) {
      const entry = entries.get(userKey)
      if (entry) Object.assign(entry, { readAt: clock.now() - trustedFor, stream: undefined })
    },
  }
}

/** Only the web session that makes a change knows the next epoch. */
function isOf({ epoch, nextEpoch }: Verified, entry: Pick<Entry, 'epoch'>): boolean {
  return epoch === entry.epoch || (nextEpoch !== undefined && nextEpoch === entry.epoch)
}
