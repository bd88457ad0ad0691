import type { ImportReport } from '../../service/engine/base/import-rows.ts'
import { exitCode } from '../terminal/failure.ts'
import { counted, printJson } from '../terminal/print.ts'

interface ReportSettings {
  readonly json?: boolean
  readonly dryRun: boolean
  readonly skipRejected: boolean
}

interface Reported extends ImportReport {
  readonly ignored?: readonly string[]
  /** How many rows are there already, exactly as they are. */
  readonly unchanged?: number
}

/** More lines would push the summary off the screen. */
const maxShown = 50

/** Prints the outcome of an import, with the columns that were ignored, and sets the exit code. @param noun Such as "user". */
export function reportImport(report: Reported, noun: string, { json, dryRun, skipRejected }: ReportSettings): void {
  const { rejected, rejectedRows, ignored = [] } = report
  if (rejectedRows > 0 && !skipRejected) process.exitCode = exitCode.failed
  if (json) return printJson({ ...report, dryRun })
  if (ignored.length > 0) console.log(`Ignored columns: ${ignored.join(', ')}`)
  for (const { line, reason } of rejected.slice(0, maxShown)) console.log(`Line ${line}: ${reason}`)
  if (rejectedRows > maxShown) console.log(`… and ${rejectedRows - maxShown} more. --json shows the first 100.`)
  console.log(summary(report, noun, dryRun))
}

function summary(
  { imported, acceptable, present: presentCount = 0, rejectedRows, unchanged = 0 }: Reported,
  noun: string,
  dryRun: boolean,
): string {
  const skipped = rejectedRows > 0 ? `, ${counted(rejectedRows, 'row')} rejected` : ''
  const presentText = presentCount > 0 ? ` (${presentCount} already existed)` : ''
  if (dryRun) return `${counted(acceptable, noun)} can be imported${presentText}${skipped}. Nothing was changed.`
  if (imported > 0) return `${counted(imported, noun)} imported${presentText}${skipped}.`
  if (rejectedRows === 0 && unchanged > 0) return 'Nothing to import.'
  const alternative = acceptable > 0 ? ', or import the others with --skip-rejected' : ''
  return `Nothing was imported${skipped}. Correct the file${alternative}.`
}
