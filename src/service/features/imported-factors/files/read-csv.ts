import type { CsvRecord } from '../../hardware/files/csv.ts'
import { FileProblem } from '../../hardware/files/file-problem.ts'
import type { FactorRow } from './factor-row.ts'
import { fieldsNamed } from './fields.ts'
import type { Field, FieldSettings, Said } from './fields.ts'
import type { CodeSettings } from './read-app.ts'
import { readRow } from './read-row.ts'
import type { Source } from './sources.ts'
import { requireEncoding } from './require-encoding.ts'

/** Reads the rows of a CSV file with a header. */
export async function* readFactorCsv(
  records: AsyncIterable<readonly CsvRecord[]>,
  source: Source,
  settings: CodeSettings & FieldSettings,
): AsyncGenerator<readonly FactorRow[]> {
  let columns: readonly (Field | undefined)[] | undefined
  for await (const batch of records) {
    const [first] = batch
    if (!first) continue
    const isFirst = columns === undefined
    const fields = (columns ??= headerOf(first, source, settings))
    yield batch.slice(isFirst ? 1 : 0).map((record) => readRecord(record, fields, source, settings))
  }
}

function headerOf(record: CsvRecord, source: Source, settings: CodeSettings & FieldSettings) {
  // Its columns would be unknown, and those of the next lines would be taken for others.
  if (record.fault !== undefined) throw new FileProblem(`The first line has a mistake: ${record.fault}. Correct it.`)
  const columns = fieldsNamed(record.fields, record.line, settings)
  requireEncoding(columns, source, settings)
  return columns
}

function readRecord(
  { line, fields, fault }: CsvRecord,
  columns: readonly (Field | undefined)[],
  source: Source,
  settings: CodeSettings,
): FactorRow {
  if (fault !== undefined) return { line, reason: fault }
  if (fields.length !== columns.length)
    return { line, reason: `expected ${columns.length} fields, got ${fields.length}` }
  const said: Said = Object.fromEntries(columns.flatMap((field, index) => (field ? [[field, fields[index]]] : [])))
  return readRow(line, said, source, settings)
}
