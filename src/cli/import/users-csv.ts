import type { UserRow } from '../../service/features/users/import.ts'
import { parseCsv } from '../../service/features/hardware/files/csv.ts'
import type { CsvRecord } from '../../service/features/hardware/files/csv.ts'
import { textOf } from '../../service/features/hardware/files/file-text.ts'
import type { FileBytes } from '../../service/features/hardware/files/file-text.ts'
import { namesOf, plainName, readHeader } from '../../service/features/hardware/files/columns.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { asFailure } from './as-failure.ts'

/** Enough for more than 100,000 users, bytes. */
export const usersLimit = 64 * 1024 * 1024

const columns = ['username', 'name', 'email'] as const
type Column = (typeof columns)[number]

const known = {
  names: {
    username: ['username', 'user', 'login', 'loginname', 'userid'],
    name: ['name', 'displayname', 'fullname', 'cn'],
    email: ['email', 'mail', 'emailaddress', 'mailaddress'],
  },
  // No column changes what another one means.
  isHarmless: () => true,
} as const

interface UsersSettings {
  /** The name of the column with the usernames, where it has another one. */
  readonly usernameColumn?: string | undefined
  /** Called with the names of columns that are ignored. */
  readonly noteIgnored?: (names: readonly string[]) => void
}

/** Reads users from CSV: `username,name,email` without a header, or the columns in the header. @throws {Failure} */
export async function* readUsersCsv(file: FileBytes, settings: UsersSettings = {}): AsyncGenerator<readonly UserRow[]> {
  let fileColumns: readonly (Column | undefined)[] | undefined
  try {
    for await (const records of parseCsv(textOf(file, 'Save it as CSV in UTF-8.'))) {
      const [first] = records
      if (!first) continue
      const header = fileColumns ? undefined : headerOf(first, settings)
      const rowColumns = (fileColumns ??= header ?? columns)
      yield (header ? records.slice(1) : records).map((record) => readRow(record, rowColumns))
    }
  } catch (error) {
    throw asFailure(error)
  }
  if (!fileColumns) throw new Failure('The file contains no users. Check that it is the right file.')
}

/** @returns undefined when the record is not a header. */
function headerOf(record: CsvRecord, { usernameColumn, noteIgnored }: UsersSettings) {
  const header = readHeader(record, usernameColumn === undefined ? known : knownWith(usernameColumn))
  if (header?.columns.includes('username')) {
    noteIgnored?.(header.ignored)
    return header.columns
  }
  // A header of unknown names would be taken for a person, and its columns for others.
  const { fields } = record
  const isPerson = !header && fields.length === columns.length && /^$|@/.test(fields[2] ?? '')
  if (isPerson && usernameColumn === undefined) return undefined
  const missing = usernameColumn === undefined ? 'known as the username' : `named ${usernameColumn}`
  throw new Failure(
    `No column of the file is ${missing}. The first line has ${namesOf(record)}. Name the column with --username-column.`,
    exitCode.usage,
  )
}

/** Only this column has the usernames, also where its name means something else otherwise. */
function knownWith(usernameColumn: string): typeof known | Names {
  const { username: _usual, ...others } = known.names
  return { ...known, names: { ...others, username: [plainName(usernameColumn)] } }
}

type Names = Omit<typeof known, 'names'> & { readonly names: Readonly<Record<Column, readonly string[]>> }

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
