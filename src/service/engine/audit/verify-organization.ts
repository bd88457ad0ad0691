import type { BrokenEntry } from '../../../admin-contract/audit-verification.ts'
import { inSteps } from '../base/in-steps.ts'
import { auditRowsOf, auditWriterAfter, auditWriterById, auditWriters } from './statements.ts'
import type { AuditRow, AuditWriterRow } from './statements.ts'
import type { Queryable } from '../database/schema/schema.ts'
import { chainStart, hashEntry } from './entry.ts'
import { entryOf } from './read.ts'

/** The most entries that one step reads: about 5 ms on SQLite. */
const stepSize = 500

interface Watch {
  /** Called after each step with the number of entries that were read. */
  readonly onStep: (read: number) => Promise<void>
  readonly signal: AbortSignal
}

/** The part of a verification that concerns one organization. */
export interface OwnVerification {
  readonly entries: number
  readonly findings: number
  readonly first: BrokenEntry | undefined
}

/**
 * Verifies all chains, and says of them only what concerns one organization. Its entries are chained with those of others. An
 * entry that is missing, and one that no longer names its organization, may have been of any of them, so these count for each;
 * nothing is said of where they are.
 */
export async function verifyOrganization(
  db: Queryable,
  organizationId: string,
  watch: Watch,
): Promise<OwnVerification> {
  const writers = new Map((await auditWriters(db)).map((writer) => [writer.id, writer]))
  const report = createReport()
  for (let id = await auditWriterAfter(db, ''); id !== undefined; id = await auditWriterAfter(db, id)) {
    await verifyChain(db, id, writers.get(id), { organizationId, report, ...watch })
    if (watch.signal.aborted) break
    writers.delete(id)
  }
  if (!watch.signal.aborted) {
    for (const writer of writers.values()) await verifyEnd(db, writer, 0, report, undefined)
  }
  return report.result()
}

interface Chain extends Watch {
  readonly organizationId: string
  readonly report: Report
}

async function verifyChain(
  db: Queryable,
  id: string,
  writer: AuditWriterRow | undefined,
  { organizationId, report, onStep, signal }: Chain,
): Promise<void> {
  let head = { sequence: writer?.startSequence ?? 0, hash: writer?.startHash ?? chainStart }
  /** The last entry of the organization. */
  let lastOwnRow: AuditRow | undefined
  /** Entries before the beginning of the chain are read too: they do not belong there. */
  let read = -1

  /** Whether the chain was shortened meanwhile, after the retention time. */
  async function isShortened(row: AuditRow): Promise<boolean> {
    const currentWriter = await auditWriterById(db, id)
    if (currentWriter?.startSequence !== row.sequence - 1 || currentWriter.startSequence < head.sequence) return false
    head = { sequence: currentWriter.startSequence, hash: currentWriter.startHash }
    return true
  }

  async function verifyRow(row: AuditRow): Promise<void> {
    const isOwn = row.organizationId === organizationId
    const follows = row.sequence === head.sequence + 1 || (await isShortened(row))
    if (isOwn) report.count()
    if (!follows) report.found('missing', lastOwnRow)
    else if (isChanged(row, head.hash, writer))
      report.found(isOwn ? 'changed' : 'unattributed', isOwn ? row : undefined)
    // Continues from the stored hash, so that one change is reported once.
    head = row
    if (isOwn) lastOwnRow = row
  }

  await inSteps({ size: stepSize, signal }, async () => {
    const rows = await auditRowsOf(db, id, read, stepSize)
    for (const row of rows) await verifyRow(row)
    read = rows.at(-1)?.sequence ?? read
    await onStep(rows.length)
    return rows.length
  })
  if (writer && !signal.aborted) await verifyEnd(db, writer, head.sequence, report, lastOwnRow)
}

/** Whether an entry differs from its hash, or from the head that was written down when it was the last one. */
function isChanged(row: AuditRow, previous: string, writer: AuditWriterRow | undefined): boolean {
  if (hashEntry(previous, entryOf(row)) !== row.hash) return true
  return writer?.sequence === row.sequence && writer.hash !== row.hash
}

/** A chain is at least as long as when its head was written down, unless it was shortened meanwhile. */
async function verifyEnd(
  db: Queryable,
  writer: AuditWriterRow,
  reached: number,
  report: Report,
  lastOwnRow: AuditRow | undefined,
): Promise<void> {
  if (Math.max(reached, writer.startSequence) >= writer.sequence) return
  const currentWriter = await auditWriterById(db, writer.id)
  if ((currentWriter?.startSequence ?? 0) < writer.sequence) report.found('cut_off', lastOwnRow)
}

type Report = ReturnType<typeof createReport>

function createReport() {
  let entries = 0
  let findings = 0
  let first: BrokenEntry | undefined
  const isEarlier = ({ position }: BrokenEntry) => (position ?? Infinity) < (first?.position ?? Infinity)
  return {
    count: () => void entries++,
    /** @param place The entry of the organization where it is shown. */
    found(kind: BrokenEntry['kind'], place: AuditRow | undefined) {
      findings++
      const finding = { kind, position: place?.position ?? null, at: place?.at ?? null }
      if (!first || isEarlier(finding)) first = finding
    },
    result: (): OwnVerification => ({ entries, findings, first }),
  }
}
