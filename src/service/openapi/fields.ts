import type { JsonSchema } from './schemas.ts'

/** One member of a body, or one parameter, in words. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

type Named = Readonly<Record<string, JsonSchema>>

/** The members of an object, or of the objects of a list. */
export function fieldsOf(named: Named, schema: JsonSchema | undefined): Field[] {
  const object = resolve(named, schema)
  if (object['type'] === 'array') return fieldsOf(named, object['items'] as JsonSchema)
  const required = (object['required'] as readonly string[] | undefined) ?? []
  return Object.entries((object['properties'] as Named | undefined) ?? {}).map(([name, member]) => ({
    name,
    type: typeOf(named, member),
    required: required.includes(name),
    description: rulesOf(member),
  }))
}

function resolve(named: Named, schema: JsonSchema = {}): JsonSchema {
  const reference = schema['$ref']
  return typeof reference === 'string' ? (named[reference.replace(/^.*\//, '')] ?? {}) : schema
}

function typeOf(named: Named, schema: JsonSchema): string {
  const known = resolve(named, schema)
  const options = known['anyOf'] as readonly JsonSchema[] | undefined
  if (options) return [...new Set(options.map((option) => typeOf(named, option)))].join(' or ')
  if (known['type'] === 'array') return `list of ${typeOf(named, known['items'] as JsonSchema)}`
  if (known['type'] === 'object') return `{ ${Object.keys(known['properties'] ?? {}).join(', ')} }`
  if ('const' in known) return JSON.stringify(known['const'])
  const values = known['enum'] as readonly unknown[] | undefined
  return values
    ? values.map((value) => JSON.stringify(value)).join(' or ')
    : [known['type'] ?? 'any'].flat().join(' or ')
}

function rulesOf({ minLength, maxLength, maxItems, pattern, format, description }: JsonSchema): string {
  const length =
    maxLength === undefined
      ? undefined
      : minLength === undefined
        ? `at most ${String(maxLength)} characters`
        : `${String(minLength)} to ${String(maxLength)} characters`
  return [
    length,
    maxItems !== undefined && `at most ${String(maxItems)}`,
    format,
    format === undefined && pattern,
    description,
  ]
    .filter(Boolean)
    .join('; ')
}
