import type { RejectionCode } from '../../contract/admin/stock.ts'

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
  readonly rejected: readonly Rejected[]
}

export interface ImportOptions {
  /** Validates everything and changes nothing. */
  readonly dryRun?: boolean
  /** Imports the valid rows if some rows are rejected; otherwise nothing is imported. */
  readonly skipRejected?: boolean
  /** Called with the number of completed steps and of all steps. */
  readonly progress?: (done: number, of: number) => void
}

interface Checked<A> {
  readonly accepted: readonly A[]
  readonly rejected: readonly Rejected[]
  readonly present?: number
}

/** Imports the accepted rows, unless it is a dry run or a rejected row prevents that. */
export async function importAccepted<A>(
  { accepted, rejected, present }: Checked<A>,
  { dryRun = false, skipRejected = false }: ImportOptions,
  importAll: (accepted: readonly A[]) => Promise<void>,
): Promise<ImportReport> {
  const inOrder = rejected.toSorted((a, b) => a.line - b.line)
  const known = present === undefined ? {} : { present }
  const report = { imported: 0, acceptable: accepted.length, ...known, rejected: inOrder }
  if (dryRun || accepted.length === 0 || (rejected.length > 0 && !skipRejected)) return report
  await importAll(accepted)
  return { ...report, imported: accepted.length }
}
