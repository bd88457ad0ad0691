import { NewUser } from '../../contract/users.ts'
import type { User, UserField } from '../../contract/users.ts'

interface ShownField {
  readonly label: string
  readonly flags: string
  readonly description: string
}

/** What others can change of a user, as commands name it; null: only `--json` shows it. */
const fields = {
  name: { label: 'Name', flags: '--name <name>', description: 'full name' },
  email: { label: 'E-mail', flags: '--email <address>', description: 'e-mail address' },
  language: null,
  timeZone: null,
} as const satisfies Readonly<Record<UserField, ShownField | null>>

/** A field that commands show. */
export type UserFieldName = { [F in UserField]: (typeof fields)[F] extends null ? never : F }[UserField]

/** The fields that commands show, in their order, and whether a new user needs them: those of every version of the interface do. */
export const shownFields = Object.entries<ShownField | null>(fields).flatMap(([name, field]) =>
  field ? [{ name: name as UserFieldName, isRequired: name in NewUser.shape, ...field }] : [],
)

/** What a user has in these fields, each with its label. */
export const fieldRows = (user: User): readonly (readonly [label: string, text: string])[] =>
  shownFields.map(({ name, label }) => [label, user[name] ?? ''])

/** Makes an object with a value for each of these fields. */
export const mapFields = <T>(valueOf: (name: UserFieldName) => T) =>
  Object.fromEntries(shownFields.map(({ name }) => [name, valueOf(name)])) as Record<UserFieldName, T>
