import { mediaType } from '../../../contract/media-type.ts'
import type { Vendor } from '../../../contract/media-type.ts'
import { networkOf } from '../base/network.ts'
import type { TrailContext } from './audit.ts'
import type { Audited, KeyRefusal } from './events.ts'
import { recordRefusal } from './refusals.ts'

/** Limits on the entries that outsiders can cause: one per address and minute, this many per minute, and this many per day. */
const maxPerMinute = 60

const maxPerDay = 5_000

/** Seconds. */
const minute = 60

const day = 86_400

/**
 * Reports requests without a valid API key: one log line and one audit entry per address and minute, then the number of others.
 */
export interface RefusedKeys {
  report(refused: RefusedKey): Promise<void>
  /** Reports how many others there were. */
  close(): Promise<void>
}

/** The facts that a log may contain about a request without a valid API key. They never contain a key or a part of one. */
export interface ShownCredentials {
  readonly reason: KeyRefusal
  /** The scheme word, or `other` if it could be something else. */
  readonly scheme: string | undefined
  /** Media types of Accept and Content-Type, or `unreadable` if they could be something else. */
  readonly accept: string | undefined
  readonly contentType: string | undefined
}

interface RefusedKey extends ShownCredentials {
  readonly address: string | undefined
  readonly vendor: Vendor
  readonly requestId: string | undefined
}

type Context = Omit<TrailContext, 'address'>

export function createRefusedKeys(ctx: Context): RefusedKeys {
  let networks = new Set<string>()
  let today = { begun: 0, count: 0 }
  let omitted = 0
  let cancel: (() => void) | undefined
  let writing = Promise.resolve()

  /** The minute starts with its first refusal, and ends with a report of what was omitted. */
  function beginMinute(): void {
    cancel ??= ctx.clock.after(minute * 1000, () => {
      writing = endMinute()
    })
  }

  async function endMinute(): Promise<void> {
    cancel?.()
    cancel = undefined
    networks = new Set()
    const count = omitted
    omitted = 0
    if (count === 0) return
    ctx.logger.warn({ count }, 'more requests without a valid API key')
    await write({ reason: null, count }, { address: null })
  }

  async function write(
    facts: { reason: ShownCredentials['reason'] | null; count: number },
    { address, requestId }: { address: string | null; requestId?: string | undefined },
  ) {
    const entry: Audited = { event: 'api_key.refused', organizationId: null, actor: unknownCaller, facts }
    await recordRefusal({ ...ctx, address, ...(requestId && { requestId }) }, entry)
  }

  return {
    async report({ address, vendor, requestId, ...credentials }) {
      beginMinute()
      const network = networkOf(address)
      if (networks.has(network) || networks.size >= maxPerMinute) {
        omitted += 1
        return
      }
      networks.add(network)
      const type = { scheme: vendor.scheme, mediaType: mediaType(vendor, '1.3') }
      ctx.logger.warn({ address: address ?? 'unknown', ...credentials, wanted: type, requestId }, 'no valid API key')
      const now = ctx.clock.now()
      if (now < today.begun || now - today.begun >= day) today = { begun: now, count: 0 }
      today.count += 1
      // Refusals beyond the daily limit are counted with their minute.
      if (today.count > maxPerDay) omitted += 1
      else await write({ reason: credentials.reason, count: 1 }, { address: address ?? null, requestId })
    },
    async close() {
      await writing
      await endMinute()
    },
  }
}

/** The caller is unknown, because it showed no key. */
const unknownCaller = { kind: 'api_key', id: 'unknown' } as const
