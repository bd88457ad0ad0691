import type { FactorRow } from './factor-row.ts'
import { fieldsNamed } from './fields.ts'
import type { Field, FieldSettings, Said } from './fields.ts'
import type { JsonItem } from './json-items.ts'
import { membersOf } from './keycloak.ts'
import type { CodeSettings } from './read-app.ts'
import { readRow } from './read-row.ts'
import { requireEncoding } from './require-encoding.ts'
import { parseJson } from '../../../../contract/validate.ts'
import type { Source } from './sources.ts'

/** The lists of names that are remembered: the objects of a file have few. */
const maxLayouts = 100

/** Reads the objects of a file, whose members may differ. */
export function objectReader(
  source: Source,
  { noteIgnored, ...settings }: CodeSettings & FieldSettings,
): (item: JsonItem) => FactorRow {
  const layouts = new Map<string, readonly (Field | undefined)[]>()
  const ignored = new Set<string>()
  const note = (names: readonly string[]) => {
    noteIgnored?.(names.filter((name) => !ignored.has(name)))
    for (const name of names) ignored.add(name)
  }
  const layoutOf = (names: readonly string[], line: number) => {
    const key = JSON.stringify(names)
    const known = layouts.get(key)
    if (known) return known
    const fields = fieldsNamed(names, line, { ...settings, noteIgnored: note })
    requireEncoding(fields, source, settings)
    if (layouts.size < maxLayouts) layouts.set(key, fields)
    return fields
  }
  return ({ line, value }) => {
    if (typeof value !== 'object' || value === null) return { line, reason: 'it is not valid JSON' }
    const members = withSecretObject(membersOf(value))
    const names = Object.keys(members)
    const fields = layoutOf(names, line)
    const said: Said = Object.fromEntries(
      names.flatMap((name, index) => (fields[index] ? [[fields[index], members[name]]] : [])),
    )
    return readRow(line, said, source, settings)
  }
}

/** Apps store what speakeasy returns in one member: `{ ascii, hex, base32, otpauth_url }`, or its text. */
function withSecretObject(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const [name, value] of Object.entries(members)) {
    const parsed = typeof value === 'string' && value.startsWith('{') ? parseJson(value) : value
    if (typeof parsed !== 'object' || parsed === null || !('base32' in parsed)) continue
    const { ascii, hex, base32, otpauth_url: uri } = membersOf(parsed)
    const { [name]: _stored, ...others } = members
    return { ...others, ascii, hex, base32, ...(typeof uri === 'string' && { otpauth_url: uri }) }
  }
  return members
}
