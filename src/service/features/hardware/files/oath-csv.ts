import type { ImportRow } from './import-row.ts'
import type { CsvRecord } from './csv.ts'
import { hotpReason, reject } from './rejections.ts'

/** Columns of a file without a header. */
const defaultColumns = ['serial', 'seed', 'type', 'step'] as const
type Column = (typeof defaultColumns)[number] | 'alias'

/** Reads hardware tokens from CSV: `serial,seed,type,step`, or the columns in the header. Seeds are hexadecimal. */
export async function* readOathCsv(records: AsyncIterable<readonly CsvRecord[]>): AsyncGenerator<readonly ImportRow[]> {
  let columns: readonly (Column | undefined)[] | undefined
  for await (const batch of records) {
    const header = columns || !batch[0] ? undefined : columnsOf(batch[0])
    if (batch.length > 0) columns ??= header ?? defaultColumns
    yield (header ? batch.slice(1) : batch).map((record) => readRow(record, columns ?? defaultColumns))
  }
}

/** @returns undefined when the record is not a header. */
function columnsOf({ fields }: CsvRecord): (Column | undefined)[] | undefined {
  const names = fields.map((field) => columnNamed(field))
  return names.includes('serial') && names.includes('seed') ? names : undefined
}

function columnNamed(text: string): Column | undefined {
  const name = text.toLowerCase().replace(/[\s_-]/g, '')
  const names: Record<string, Column> = {
    serial: 'serial',
    serialnumber: 'serial',
    seed: 'seed',
    type: 'type',
    step: 'step',
    timestep: 'step',
    alias: 'alias',
  }
  return Object.hasOwn(names, name) ? names[name] : undefined
}

function readRow({ line, fields, fault }: CsvRecord, columns: readonly (Column | undefined)[]): ImportRow {
  if (fault !== undefined) return reject(line, 'row', fault)
  if (fields.length !== columns.length) {
    return reject(line, 'row', `expected ${columns.length} fields, got ${fields.length}`)
  }
  const fieldOf = (column: Column) => fields[columns.indexOf(column)] ?? ''
  const type = fieldOf('type').toUpperCase()
  if (type.startsWith('HOTP')) return reject(line, 'hotp', hotpReason)
  const token = {
    serialNumber: fieldOf('serial'),
    seed: fieldOf('seed'),
    // The most common type is the default.
    type: type === 'TOTP' || type === '' ? 'TOTP6' : type,
    timeStep: fieldOf('step').replace(/ ?s$/i, '') || '30',
    ...(fieldOf('alias') !== '' && { alias: fieldOf('alias') }),
  }
  return { line, token }
}
