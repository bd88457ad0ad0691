import type { NewOidcClient, OidcClientChanges, OidcClientKind } from '../../../admin-contract/oidc-client-settings.ts'
import type { OidcClient } from '../../../admin-contract/oidc-clients.ts'
import { type Draft, type Field, type FieldName, fields, linesOf, parsed, type Typed } from './fields.ts'
import type { Words } from './texts/en.ts'

/** The settings of a client as the interface has them, without its kind. */
export type Settings = Omit<NewOidcClient, 'kind'>

/** The fields of a kind of client, in the order of the page. */
export const fieldsOf = (kind: OidcClientKind): readonly Field[] => fields.filter(({ kinds }) => kinds.includes(kind))

/** The fields that are shown: those that depend on others only with these, and no choice of one. */
export const shownFields = (kind: OidcClientKind, draft: Draft): readonly Field[] =>
  fieldsOf(kind).filter(({ when, options }) => (when?.(draft) ?? true) && options?.(kind).length !== 1)

/** The fields with a value, of whatever kind. */
export const filledFields = (draft: Draft): readonly Field[] =>
  fields.filter(({ name, control, isQuestion }) => !isQuestion && !isEqual(draft[name], empty[control]))

/** The form of a new client. */
export const newDraft = (kind: OidcClientKind): Draft => draftOf((field) => untouched(field, kind))

/** The value of a field in which nothing was typed or chosen. */
const untouched = (field: Field, kind: OidcClientKind): Typed =>
  field.initial ?? firstOption(field, kind) ?? empty[field.control]

const firstOption = ({ control, options }: Field, kind: OidcClientKind): string | undefined =>
  control === 'choice' ? options?.(kind)[0] : undefined

/** The form of a client that exists. */
export function draftOfClient(client: OidcClient): Draft {
  return draftOf((field) => {
    if (field.name === 'keySource') return client.jwksUri !== null ? 'address' : client.jwks ? 'pasted' : 'none'
    const members = field.within === undefined ? client : client[field.within]
    return typedOf(field, (members as Readonly<Record<string, unknown>> | null)?.[field.name])
  })
}

const draftOf = (initialOf: (field: Field) => Typed): Draft =>
  Object.fromEntries(fields.map((field) => [field.name, initialOf(field)])) as Record<FieldName, Typed>

const empty: Readonly<Record<Field['control'], Typed>> = {
  text: '',
  line: '',
  lines: '',
  json: '',
  switch: false,
  choice: '',
  choices: [],
}

function typedOf({ control }: Field, value: unknown): Typed {
  if (value === null || value === undefined) return empty[control]
  if (control === 'lines') return (value as readonly string[]).join('\n')
  if (control === 'json') return JSON.stringify(value, null, 2)
  return value as Typed
}

/** What the service stores for a form. A field that is not shown is as if nothing were typed or chosen there. */
export function settingsOf(kind: OidcClientKind, draft: Draft): Settings {
  const settings: Record<string, unknown> = {}
  for (const field of fieldsOf(kind)) {
    if (field.isQuestion) continue
    const typed = (field.when?.(draft) ?? true) ? draft[field.name] : untouched(field, kind)
    const value = valueOf(field, typed)
    if (field.within === undefined) settings[field.name] = value
    else settings[field.within] = { ...(settings[field.within] as object | undefined), [field.name]: value }
  }
  return settings as unknown as Settings
}

function valueOf({ control }: Field, typed: Typed): unknown {
  if (control === 'lines') return linesOf(typed)
  if (control === 'text') return String(typed).trim()
  if (control === 'line') return String(typed).trim() || null
  if (control === 'json') return typed === '' ? null : parsed(String(typed))
  return typed
}

/** The settings that differ, with their new values. */
export function changesOf(before: OidcClient, draft: Draft): OidcClientChanges {
  const now = settingsOf(before.kind, draft)
  const stored = settingsOf(before.kind, draftOfClient(before))
  const names = Object.keys(now) as (keyof Settings)[]
  return Object.fromEntries(
    names
      .filter((name) => !isEqual(now[name], stored[name]))
      .map((name) => [name, isGroup(name) ? withUnknown(before[name], now[name]) : now[name]]),
  )
}

const isGroup = (name: keyof Settings): name is 'entra' | 'ciba' => name === 'entra' || name === 'ciba'

/** Members that a newer service has besides stay as they are. */
const withUnknown = (before: object | null, now: unknown): unknown => ({ ...before, ...(now as object) })

/** The fields whose values differ. */
export const differing = (kind: OidcClientKind, first: Draft, second: Draft): readonly Field[] =>
  fieldsOf(kind).filter(({ name }) => !isEqual(first[name], second[name]))

const isEqual = (first: unknown, second: unknown): boolean => JSON.stringify(first) === JSON.stringify(second)

/** What is wrong with a form, in the words of the language. */
export type Problems = Readonly<Partial<Record<FieldName, string>>>

export function problemsOf(kind: OidcClientKind, draft: Draft, words: Words['problems']): Problems {
  return Object.fromEntries(
    shownFields(kind, draft).flatMap(({ name, problem }) => {
      const found = problem?.(draft[name], draft)
      return found ? [[name, found(words)]] : []
    }),
  )
}

/**
 * The fields that a refusal of the service names. It begins with their paths, such as `entra.tenant: expected …`.
 *
 * @param detail What the service says, in English.
 */
export function refusedFields(kind: OidcClientKind, draft: Draft, detail = ''): readonly FieldName[] {
  const [paths = ''] = detail.split(': ', 1)
  const named = new Set(paths.split(/, |\./))
  return shownFields(kind, draft)
    .map(({ name }) => name)
    .filter((name) => named.has(name))
}
