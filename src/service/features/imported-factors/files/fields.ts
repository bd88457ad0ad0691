import { isHarmless, names as tokenNames } from '../../hardware/files/oath-csv.ts'
import { plainName, readHeader } from '../../hardware/files/columns.ts'
import { FileProblem } from '../../hardware/files/file-problem.ts'

/** What files say of a person, each by the names that it has in them: without case, blanks and punctuation. */
const names = {
  username: ['username', 'user', 'login', 'loginname', 'upn', 'userprincipalname', 'samaccountname'],
  name: ['name', 'displayname', 'fullname', 'cn'],
  email: ['email', 'mail', 'emailaddress', 'mailaddress'],
  uri: ['otpauth', 'uri', 'otpauthuri', 'otpauthurl', 'keyuri', 'totpuri', 'totpurl'],
  hex: tokenNames.seed,
  base32: tokenNames.base32,
  text: ['ascii', 'secretascii', 'asciisecret'],
  secret: [...tokenNames.secret, 'totpsecret', 'totpkey', 'mfasecret', 'twofactorsecret'],
  encoding: ['encoding', 'secretencoding'],
  type: tokenNames.type,
  digits: tokenNames.digits,
  period: tokenNames.step,
  algorithm: tokenNames.algorithm,
  counter: tokenNames.counter,
  serial: tokenNames.serial,
  recovery: ['recovery', 'recoverycodes', 'backupcodes', 'scratchcodes', 'bypasscodes'],
  verified: ['verified', 'isverified', 'confirmed', 'totpverified'],
  enabled: [
    'enabled',
    'isenabled',
    'active',
    'isactive',
    'twofactorenabled',
    '2faenabled',
    'tfaenabled',
    'mfaenabled',
    'mfaactive',
    'totpenabled',
    'totpactive',
    'otpenabled',
  ],
  createdAt: ['createdat', 'created', 'createddate', 'creationdate', 'enrolledat'],
} as const
export type Field = keyof typeof names

const otherUsernames: ReadonlySet<string> = new Set(names.username)

/** Columns that say nothing about codes: those in which better-auth counts wrong codes, and the number of a user. */
const otherHarmless = new Set(['failedverificationcount', 'lockeduntil', 'uid'])

/** Names that may say whose second factor is off: a setup that somebody began and never finished must not become a factor. */
const decidesWhose = /enabled|disabled|active|status|state|locked|revoked|deleted|suspend|banned|expir/

/** The texts of a row by what they mean. */
export type Said = Readonly<Partial<Record<Field, unknown>>>

export interface FieldSettings {
  /** The name of the column with the usernames, where it has another one. */
  readonly usernameColumn?: string | undefined
  /** Called with the names of columns that are ignored. */
  readonly noteIgnored?: ((names: readonly string[]) => void) | undefined
}

/** The column names of a file, or the member names of an object, by what they mean. Undefined for those that are ignored. */
export function fieldsNamed(
  given: readonly string[],
  line: number,
  { usernameColumn, noteIgnored }: FieldSettings,
): readonly (Field | undefined)[] {
  const known = usernameColumn === undefined ? names : namesWith(plainName(usernameColumn))
  refuseUndecided(given, line, new Set(Object.values(known).flat()))
  const header = readHeader(
    { line, fields: given, fault: undefined },
    { names: known, isHarmless: (name) => isHarmless(name) || otherHarmless.has(name) || otherUsernames.has(name) },
  )
  if (!header?.columns.includes('username')) {
    throw new FileProblem(`Line ${line} names no usernames. Name them username, or set --username-column.`)
  }
  if (!header.columns.some((field) => field !== undefined && factorFields.has(field)))
    throw new FileProblem(`Line ${line} names no factors: otpauth, or a secret in base32 or hex.`)
  noteIgnored?.(header.ignored)
  return header.columns
}

/** @throws {FileProblem} for a column that may say whose rows do not count, in words that are not known. */
function refuseUndecided(given: readonly string[], line: number, known: ReadonlySet<string>): void {
  const undecided = given.findIndex((field) => {
    const name = plainName(field)
    return decidesWhose.test(name) && !known.has(name) && !otherHarmless.has(name)
  })
  if (undecided < 0) return
  throw new FileProblem(
    `Column ${undecided + 1} of line ${line} may say whose second factor is off. Rename it to enabled if it says true or false. ` +
      'Otherwise remove the rows of these people, and the column.',
  )
}

const factorFields: ReadonlySet<Field> = new Set(['uri', 'hex', 'base32', 'text', 'secret', 'recovery'])

/** Only this column has the usernames, also where its name means something else otherwise. */
function namesWith(usernameColumn: string): Readonly<Record<Field, readonly string[]>> {
  const others = Object.entries(names).map(([field, all]) => [field, all.filter((name) => name !== usernameColumn)])
  return { ...(Object.fromEntries(others) as Readonly<Record<Field, readonly string[]>>), username: [usernameColumn] }
}

/** The text of a field; empty where the row does not say it. @returns undefined for what is no text, such as an object. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
