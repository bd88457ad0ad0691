import type { UserRow } from '../../service/features/users/import.ts'
import { parseCsv } from '../../service/features/hardware/files/csv.ts'
import type { CsvRecord } from '../../service/features/hardware/files/csv.ts'
import { textOf } from '../../service/features/hardware/files/file-text.ts'
import type { FileBytes } from '../../service/features/hardware/files/file-text.ts'
import { Failure } from '../terminal/failure.ts'
import { asFailure } from './as-failure.ts'

/** Enough for more than 100,000 users, bytes. */
export const usersLimit = 64 * 1024 * 1024

const columns = ['username', 'name', 'email'] as const
type Column = (typeof columns)[number]

/** Reads users from CSV: `username,name,email`, or the columns in the header. Ignores other columns. @throws {Failure} */
export async function* readUsersCsv(file: FileBytes): AsyncGenerator<readonly UserRow[]> {
  let fileColumns: readonly (Column | undefined)[] | undefined
  try {
    for await (const records of parseCsv(textOf(file, 'Save it as CSV in UTF-8.'))) {
      const [first] = records
      if (!first) continue
      const header = fileColumns ? undefined : headerOf(first)
      const rowColumns = (fileColumns ??= header ?? columns)
      yield (header ? records.slice(1) : records).map((record) => readRow(record, rowColumns))
    }
  } catch (error) {
    throw asFailure(error)
  }
  if (!fileColumns) throw new Failure('The file contains no users. Check that it is the right file.')
}

/** @returns undefined when the record is not a header. */
function headerOf({ fields }: CsvRecord): (Column | undefined)[] | undefined {
  if (fields.length === 1 && fields[0]?.includes(';')) {
    throw new Failure('The columns are separated by semicolons. Save the file as CSV with commas.')
  }
  const names = fields.map((field) => columnNamed(field))
  return names.includes('username') ? names : undefined
}

function readRow({ line, fields, fault }: CsvRecord, rowColumns: readonly (Column | undefined)[]): UserRow {
  if (fault !== undefined) return { line, reason: fault }
  if (fields.length !== rowColumns.length) {
    return { line, reason: `expected ${rowColumns.length} fields, got ${fields.length}` }
  }
  const fieldOf = (column: Column) => fields[rowColumns.indexOf(column)] ?? ''
  return {
    line,
    user: { username: fieldOf('username'), name: fieldOf('name') || fieldOf('username'), email: fieldOf('email') },
  }
}

function columnNamed(text: string): Column | undefined {
  const name = text.toLowerCase().replace(/[\s_-]/g, '')
  return columns.find((column) => column === (name === 'mail' ? 'email' : name))
}
