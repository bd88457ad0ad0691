import type { CsvRecord } from './csv.ts'
import { FileProblem } from './file-problem.ts'

/** What a format knows of the columns of a file. */
interface ColumnNames<Column extends string> {
  /** Its columns, each by the names that it has in files: in lower case, without blanks and punctuation. */
  readonly names: Readonly<Record<Column, readonly string[]>>
  /** Whether a column of another name changes nothing about the known ones. One that may stops the file. */
  readonly isHarmless: (plainName: string) => boolean
}

/** The columns of a file, in its order. Undefined for those that are ignored. */
export interface Header<Column extends string> {
  readonly columns: readonly (Column | undefined)[]
  /** The names of the ignored ones. */
  readonly ignored: readonly string[]
}

/**
 * Reads a header.
 * @returns undefined if the record has no known name, so it is no header.
 * @throws {FileProblem} for two columns of one meaning, and for one that would have to be understood.
 */
export function readHeader<Column extends string>(
  { fields }: CsvRecord,
  { names, isHarmless }: ColumnNames<Column>,
): Header<Column> | undefined {
  const meanings = new Map(
    (Object.keys(names) as Column[]).flatMap((column) => names[column].map((name) => [name, column] as const)),
  )
  const columns = fields.map((field) => meanings.get(plainName(field)))
  if (columns.every((column) => column === undefined)) return undefined
  const twice = columns.findIndex((column, index) => column !== undefined && columns.indexOf(column) < index)
  if (twice >= 0) {
    const [first, second] = [columns.indexOf(columns[twice]), twice].map((index) => nameOf(fields, index))
    throw new FileProblem(`The columns ${first} and ${second} mean the same. Remove one of them.`)
  }
  const unknown = fields.flatMap((_field, index) => (columns[index] === undefined ? index : []))
  const stop = unknown.find((index) => !isHarmless(plainName(fields[index] ?? '')))
  if (stop !== undefined) {
    throw new FileProblem(
      `The column ${nameOf(fields, stop)} may change the codes, and is not known. Rename it to what it says: digits, step or algorithm. ` +
        'Remove it only if it says nothing about codes.',
    )
  }
  return { columns, ignored: unknown.map((index) => nameOf(fields, index)) }
}

/** The names of a header, for a message. Only for files without secrets: the line may be none. */
export const namesOf = ({ fields }: CsvRecord): string => fields.map((_, index) => nameOf(fields, index)).join(', ')

/** A name in the form in which formats know it. */
export const plainName = (field: string): string => field.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** A column of a header by its name, or by its number where that looks like no name. */
function nameOf(fields: readonly string[], index: number): string {
  const name = fields[index] ?? ''
  const isName =
    /^\p{L}[\p{L}\p{N} _.()/-]{0,31}$/u.test(name) && !/\d\D*\d\D*\d|^[A-Z0-9]{12,}$|^[a-z0-9]{16,}$/.test(name)
  return isName ? `"${name}"` : `${index + 1}`
}
