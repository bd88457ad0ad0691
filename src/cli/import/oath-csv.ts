import type { ImportRow } from '../../service/admin/hardware-import.ts'
import { parseCsv } from './csv.ts'
import type { CsvRecord } from './csv.ts'

/** Columns where the file does not name them. */
const usual = ['serial', 'seed', 'type', 'step'] as const
type Column = (typeof usual)[number] | 'alias'

/** Hardware tokens from CSV: `serial,seed,type,step`, or as the first line names the columns. Seeds are hexadecimal. */
export function readOathCsv(text: string): ImportRow[] {
  const records = parseCsv(text)
  const named = records[0] && columnsOf(records[0])
  const columns = named ?? usual
  return (named ? records.slice(1) : records).map((record) => readRow(record, columns))
}

/** Nothing where the first record is a token already. */
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
  if (fault !== undefined) return { line, reason: fault }
  if (fields.length !== columns.length) {
    return { line, reason: `it has ${fields.length} fields, and ${columns.length} are expected` }
  }
  const of = (column: Column) => fields[columns.indexOf(column)] ?? ''
  const type = of('type').toUpperCase()
  if (type.startsWith('HOTP')) return { line, reason: 'it counts presses (HOTP); tokens go by time here (TOTP)' }
  const token = {
    serialNumber: of('serial'),
    seed: of('seed'),
    // What most of them are, where the file does not say.
    type: type === 'TOTP' || type === '' ? 'TOTP6' : type,
    timeStep: of('step').replace(/ ?s$/i, '') || '30',
    ...(of('alias') !== '' && { alias: of('alias') }),
  }
  return { line, token }
}
