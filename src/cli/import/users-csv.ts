import type { UserRow } from '../../service/admin/user-import.ts'
import { decodeText, parseCsv } from '../../service/import/csv.ts'
import { Failure } from '../terminal/failure.ts'
import { asFailure } from './as-failure.ts'

/** Enough for more than 100,000 users, bytes. */
export const usersLimit = 64 * 1024 * 1024

const columns = ['username', 'name', 'email'] as const
type Column = (typeof columns)[number]

/** Reads users from CSV: `username,name,email`, or the columns in the header. Ignores other columns. */
export function readUsersCsv(bytes: Buffer): UserRow[] {
  const records = parseCsv(decode(bytes))
  const [first] = records
  if (!first) throw new Failure('The file contains no users. Check that it is the right file.')
  if (first.fields.length === 1 && first.fields[0]?.includes(';')) {
    throw new Failure('The columns are separated by semicolons. Save the file as CSV with commas.')
  }
  const names = first.fields.map((field) => columnNamed(field))
  const hasHeader = names.includes('username')
  const present = hasHeader ? names : columns
  return (hasHeader ? records.slice(1) : records).map(({ line, fields, fault }) => {
    if (fault !== undefined) return { line, reason: fault }
    if (fields.length !== present.length) {
      return { line, reason: `expected ${present.length} fields, got ${fields.length}` }
    }
    const fieldOf = (column: Column) => fields[present.indexOf(column)] ?? ''
    return {
      line,
      user: { username: fieldOf('username'), name: fieldOf('name') || fieldOf('username'), email: fieldOf('email') },
    }
  })
}

function decode(bytes: Buffer): string {
  try {
    return decodeText(bytes, 'Save it as CSV in UTF-8.')
  } catch (error) {
    throw asFailure(error)
  }
}

function columnNamed(text: string): Column | undefined {
  const name = text.toLowerCase().replace(/[\s_-]/g, '')
  return columns.find((column) => column === (name === 'mail' ? 'email' : name))
}
