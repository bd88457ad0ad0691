import type { Clock } from '../../../ground/clock.ts'
import type { Random } from '../base/random.ts'
import { newId } from '../base/random.ts'
import { insertAuditRows, insertAuditWriter } from './statements.ts'
import type { Queryable } from '../database/schema/schema.ts'
import { onTransactionEnd } from '../database/transaction-ends.ts'
import type { Ending } from '../database/transaction-ends.ts'
import { chainStart, hashEntry, storedFacts } from './entry.ts'
import type { AuditEntry, AuditEvent } from './entry.ts'
import type { Head } from './verify-chains.ts'

/** Writes the audit trail of this process. */
export interface Trail {
  /** Runs in the transaction of the events: either both are stored or neither. */
  append(db: Queryable, events: readonly AuditEvent[]): Promise<void>
  /** The current heads of its chains. */
  heads(): readonly Head[]
  /**
   * Stops using the present chains until `resume`: the database may have lost its last entries, and then the next one would
   * leave a gap.
   */
  suspend(): void
  /** The heads of the chains that are suspended. */
  suspended(): readonly Head[]
  /** Continues a chain, or ends it for good. */
  resume(writer: string, isComplete: boolean): void
  /** Ends all chains but as many as may be needed again. @returns their heads. */
  retire(): readonly Head[]
}

/** As many as PostgreSQL has connections for transactions. */
const maxFree = 10

/** Rows per statement. */
const maxRows = 100

interface TrailOptions {
  readonly clock: Clock
  readonly random: Random
  /** Called with each entry after its transaction has committed. */
  readonly committed?: (entry: AuditEntry) => void
}

interface Chain {
  /** The last committed entry. */
  head: Head
  /** Whether the chain is stored in the database. */
  known: boolean
}

/** A chain that is leased to a transaction, and its head within that transaction. */
interface Lease {
  readonly chain: Chain
  head: Head
  readonly entries: AuditEntry[]
}

/**
 * A chain is leased to one transaction at a time, so that it has no gaps and no forks. Its head is held in memory and moves
 * when the transaction commits. No database row counts entries, because unrelated transactions would contend for it. There are
 * as many chains as concurrent audited transactions: at most one per unit of work in a COMMIT on SQLite, and one per connection
 * on PostgreSQL. Each process starts its own chains and never continues those of another process.
 */
export function createTrail({ clock, random, committed = () => {} }: TrailOptions): Trail {
  const free: Chain[] = []
  const all = new Set<Chain>()
  const suspended = new Map<string, Chain>()
  const lent = new Set<Chain>()
  /** Chains that are never continued: their last entries are lost, or nobody knows whether they are there. */
  const ended = new WeakSet<Chain>()
  const leases = new WeakMap<Queryable, Lease>()

  function lend(db: Queryable): Lease {
    const currentLease = leases.get(db)
    if (currentLease) return currentLease
    const chain = free.pop() ?? { head: { writer: newId(random), sequence: 0, hash: chainStart }, known: false }
    const lease: Lease = { chain, head: chain.head, entries: [] }
    leases.set(db, lease)
    lent.add(chain)
    onTransactionEnd(db, (ending) => takeBack(lease, ending))
    return lease
  }

  function takeBack({ chain, head, entries }: Lease, ending: Ending): void {
    lent.delete(chain)
    // The outcome is unknown, so the chain ends here.
    if (ending === 'unknown') return void ended.add(chain)
    if (ending === 'committed') {
      chain.head = head
      chain.known = true
      all.add(chain)
      entries.forEach(committed)
    }
    if (!suspended.has(chain.head.writer) && !ended.has(chain)) free.push(chain)
  }

  async function begin(db: Queryable, { chain, head }: Lease): Promise<void> {
    if (chain.known || head.sequence > 0) return
    await insertAuditWriter(db, {
      id: head.writer,
      sequence: 0,
      hash: chainStart,
      startSequence: 0,
      startHash: chainStart,
      startedAt: clock.now(),
      endedAt: null,
    })
  }

  return {
    async append(db, events) {
      if (events.length === 0) return
      const lease = lend(db)
      await begin(db, lease)
      const entries = chainUp(lease, events, clock.now())
      lease.entries.push(...entries)
      for (let start = 0; start < entries.length; start += maxRows) {
        await insertAuditRows(db, entries.slice(start, start + maxRows).map(rowOf))
      }
    },
    heads: () => [...all].map(({ head }) => head),
    suspend() {
      for (const chain of all) suspended.set(chain.head.writer, chain)
      free.length = 0
    },
    suspended: () => [...suspended.values()].map(({ head }) => head),
    resume(writer, isComplete) {
      const chain = suspended.get(writer)
      if (!chain || !suspended.delete(writer)) return
      if (!isComplete) {
        ended.add(chain)
        all.delete(chain)
      } else if (!lent.has(chain) && !ended.has(chain)) {
        free.push(chain)
      }
    },
    retire() {
      const surplus = free.splice(maxFree)
      const over = [...all].filter((chain) => ended.has(chain) || surplus.includes(chain))
      for (const chain of over) all.delete(chain)
      return over.map(({ head }) => head)
    },
  }
}

function chainUp(lease: Lease, events: readonly AuditEvent[], at: number): AuditEntry[] {
  return events.map((event) => {
    const { writer, sequence, hash: previous } = lease.head
    const entry = { ...event, writer, sequence: sequence + 1, at }
    const hash = hashEntry(previous, entry)
    lease.head = { writer, sequence: entry.sequence, hash }
    return { ...entry, hash }
  })
}

const rowOf = ({ actor, ...entry }: AuditEntry) => ({
  writer: entry.writer,
  sequence: entry.sequence,
  at: entry.at,
  event: entry.event,
  actorKind: actor.kind,
  actorId: actor.id,
  organizationId: entry.organizationId,
  address: entry.address,
  facts: JSON.stringify(storedFacts(entry)),
  hash: entry.hash,
})
