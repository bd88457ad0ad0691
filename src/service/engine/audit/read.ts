import {
  auditRowsAfter,
  auditRowsOf,
  auditWriterAfter,
  auditWriterById,
  auditWriters,
  newestAuditRows,
} from './statements.ts'
import type { AuditFilter, AuditRow, AuditWriterRow } from './statements.ts'
import type { Queryable } from '../database/schema/schema.ts'
import type { AuditEntry, Actor, Facts } from './entry.ts'
import type { Head, Verification } from './verify-chains.ts'
import { verifyChains } from './verify-chains.ts'

/** Entries held in memory at a time. */
const page = 1_000

/** Yields the trail in batches, in the order it was written. */
export async function* readAudit(db: Queryable, filter: AuditFilter): AsyncGenerator<AuditEntry> {
  for (let position = 0; ;) {
    const rows = await auditRowsAfter(db, filter, position, page)
    for (const row of rows) yield entryOf(row)
    const last = rows.at(-1)
    if (!last) return
    position = last.position
  }
}

/**
 * Verifies the whole trail: each entry against the previous one, and each chain against its heads as recorded in the
 * database or elsewhere.
 * @param savedHeads Heads from a place that an attacker who can write to the database cannot change.
 */
export async function verifyAudit(db: Queryable, savedHeads: readonly Head[]): Promise<Verification> {
  const writers = await auditWriters(db)
  const writerHeads = writers.map((row) => ({ writer: row.id, sequence: row.sequence, hash: row.hash }))
  return verifyChains(readChains(db), {
    starts: writers.map(startOf),
    async startNow(writer) {
      const row = await auditWriterById(db, writer)
      return row && startOf(row)
    },
    savedHeads: [...writerHeads, ...savedHeads].filter(({ sequence }) => sequence > 0),
  })
}

const startOf = ({ id, startSequence, startHash }: AuditWriterRow): Head => ({
  writer: id,
  sequence: startSequence,
  hash: startHash,
})

/** The newest entries, oldest first. */
export async function latestAudit(db: Queryable, filter: AuditFilter, limit: number): Promise<AuditEntry[]> {
  return (await newestAuditRows(db, filter, limit)).toReversed().map(entryOf)
}

async function* readChains(db: Queryable): AsyncGenerator<AuditEntry> {
  for (let writer = await auditWriterAfter(db, ''); writer !== undefined; writer = await auditWriterAfter(db, writer)) {
    for (let sequence = -1; ;) {
      const rows = await auditRowsOf(db, writer, sequence, page)
      for (const row of rows) yield entryOf(row)
      const last = rows.at(-1)
      if (!last) break
      sequence = last.sequence
    }
  }
}

export function entryOf(row: AuditRow): AuditEntry {
  const { writer, sequence, at, event, organizationId, address, hash } = row
  const actor = { kind: row.actorKind as Actor['kind'], id: row.actorId }
  const { requestId, ...facts } = readFacts(row.facts)
  const entry = { writer, sequence, at, event, actor, organizationId, address, facts, hash }
  return typeof requestId === 'string' ? { ...entry, requestId } : entry
}

/** Facts that are not JSON are reported as tampering, not as an internal error. */
function readFacts(text: string): Facts {
  try {
    return JSON.parse(text) as Facts
  } catch {
    return { unreadable: text }
  }
}
