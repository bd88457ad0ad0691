import type { RejectionCode } from '../../../admin-contract/stock.ts'
import { maxListedRejections } from '../../../admin-contract/stock-limits.ts'
import { nextTurn } from './next-turn.ts'

/** A row of an import file that cannot be imported. */
export interface Rejected {
  /** The line at which the row begins. */
  readonly line: number
  /** Never quotes the row: it may hold a seed. */
  readonly reason: string
  /** The same for programs; of hardware tokens. */
  readonly code?: RejectionCode
}

export interface ImportReport {
  /** The number of rows imported; 0 in a dry run. */
  readonly imported: number
  /** The number of rows that can be imported. */
  readonly acceptable: number
  /** The number of those whose users already exist. */
  readonly present?: number
  /** The number of rejected rows. */
  readonly rejectedRows: number
  /** The number of those whose serial number is there already; of hardware tokens. */
  readonly presentRows?: number
  /** The first rejected rows. Those that are only there already come after the others. */
  readonly rejected: readonly Rejected[]
}

export interface ImportOptions {
  /** Validates everything and changes nothing. */
  readonly dryRun?: boolean
  /** Imports the valid rows if some rows are rejected; otherwise nothing is imported. */
  readonly skipRejected?: boolean
  /** Called with the number of rows that are stored and of all rows, while they are stored. */
  readonly progress?: (done: number, total: number) => void
  /** Throws if no one waits for the result anymore. Called between steps, until rows are stored. */
  readonly requireWaiting?: () => void
}

/** Rows in batches of any size, as they are read. */
export type RowBatches<R> = AsyncIterable<readonly R[]> | Iterable<readonly R[]>

interface CheckedRows<A> {
  readonly accepted: readonly A[]
  readonly rejected: readonly Rejected[]
  readonly present?: number
}

interface Importing<R, A> {
  readonly rows: RowBatches<R>
  /** Called with at most `rowsPerStep` rows, in their order. */
  readonly check: (rows: readonly R[]) => Promise<CheckedRows<A>>
  readonly importAll: (accepted: readonly A[]) => Promise<void>
}

/** A step of a few milliseconds: a row that breaks every rule takes 50 microseconds. Requests run between two steps. */
export const rowsPerStep = 100

/**
 * Checks rows as they are read, and imports the accepted ones, unless it is a dry run or a rejected row prevents that. Only
 * accepted rows are kept in memory, and the first of the rejected ones.
 */
export async function importRows<R, A>(
  { rows, check, importAll }: Importing<R, A>,
  { dryRun = false, skipRejected = false, requireWaiting = () => {} }: ImportOptions,
): Promise<ImportReport> {
  const rejections = createRejections()
  const accepted: A[] = []
  let acceptable = 0
  let presentCount: { present: number } | undefined
  for await (const batch of inSmallSteps(rows)) {
    requireWaiting()
    const checked = await check(batch)
    rejections.add(checked.rejected)
    acceptable += checked.accepted.length
    if (checked.present !== undefined) presentCount = { present: (presentCount?.present ?? 0) + checked.present }
    if (!dryRun) accepted.push(...checked.accepted)
  }
  const report = { imported: 0, acceptable, ...presentCount, ...rejections.report() }
  if (dryRun || acceptable === 0 || (report.rejectedRows > 0 && !skipRejected)) return report
  await importAll(accepted)
  return { ...report, imported: acceptable }
}

/** Yields at most `rowsPerStep` rows in a turn of the event loop. */
export async function* inSmallSteps<R>(batches: RowBatches<R>): AsyncGenerator<readonly R[]> {
  for await (const batch of batches) {
    for (let start = 0; start < batch.length; start += rowsPerStep) {
      yield batch.slice(start, start + rowsPerStep)
      await nextTurn()
    }
  }
}

/** The first rejected rows, and how many there are. A wrong file has as many as it has lines. */
function createRejections() {
  const faults: Rejected[] = []
  const alreadyStored: Rejected[] = []
  let [rejectedRows, presentRows] = [0, 0]
  return {
    add(rows: readonly Rejected[]): void {
      for (const row of rows.toSorted(byLine)) {
        const isPresent = row.code === 'present'
        rejectedRows += 1
        presentRows += isPresent ? 1 : 0
        const list = isPresent ? alreadyStored : faults
        if (list.length < maxListedRejections) list.push(row)
      }
    },
    report: () => ({
      rejectedRows,
      presentRows,
      rejected: [...faults, ...alreadyStored].slice(0, maxListedRejections).toSorted(byLine),
    }),
  }
}

const byLine = (first: Rejected, second: Rejected) => first.line - second.line
