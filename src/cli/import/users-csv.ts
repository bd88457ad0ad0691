import type { UserRow } from '../../service/admin/user-import.ts'
import { Failure } from '../device/failure.ts'
import { parseCsv } from './csv.ts'
import { decodeText } from './decode-text.ts'

/** More than 100,000 users, bytes. */
export const usersLimit = 64 * 1024 * 1024

const columns = ['username', 'name', 'email'] as const
type Column = (typeof columns)[number]

/** Users from CSV: `username,name,email`, or as the first line names the columns. Other columns are left out. */
export function readUsersCsv(bytes: Buffer): UserRow[] {
  const records = parseCsv(decodeText(bytes, 'Save it as CSV in UTF-8.'))
  const [first] = records
  if (!first) throw new Failure('There is no user in the file. Check that it is the right one.')
  if (first.fields.length === 1 && first.fields[0]?.includes(';')) {
    throw new Failure('The columns of the file are separated by semicolons. Save it as CSV with commas.')
  }
  const names = first.fields.map((field) => columnNamed(field))
  const named = names.includes('username')
  const present = named ? names : columns
  return (named ? records.slice(1) : records).map(({ line, fields, fault }) => {
    if (fault !== undefined) return { line, reason: fault }
    if (fields.length !== present.length) {
      return { line, reason: `it has ${fields.length} fields, and ${present.length} are expected` }
    }
    const of = (column: Column) => fields[present.indexOf(column)] ?? ''
    return { line, user: { username: of('username'), name: of('name') || of('username'), email: of('email') } }
  })
}

function columnNamed(text: string): Column | undefined {
  const name = text.toLowerCase().replace(/[\s_-]/g, '')
  return columns.find((column) => column === (name === 'mail' ? 'email' : name))
}
