import type { JsonSchema } from './schemas.ts'

/** Describes one member of a body, or one parameter. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

type NamedSchemas = Readonly<Record<string, JsonSchema>>

/** The members of an object, or of the objects of a list. */
export function fieldsOf(schemas: NamedSchemas, schema: JsonSchema = {}): Field[] {
  const { items, properties = {}, required = [] } = resolve(schemas, schema)
  if (items) return fieldsOf(schemas, items)
  return Object.entries(properties).map(([name, member]) => ({
    name,
    type: typeOf(schemas, member),
    required: required.includes(name),
    description: rulesOf(member),
  }))
}

function resolve(schemas: NamedSchemas, schema: JsonSchema): JsonSchema {
  return schema.$ref === undefined ? schema : (schemas[schema.$ref.replace(/^.*\//, '')] ?? {})
}

function typeOf(schemas: NamedSchemas, schema: JsonSchema): string {
  const resolved = resolve(schemas, schema)
  if (resolved.anyOf) return [...new Set(resolved.anyOf.map((option) => typeOf(schemas, option)))].join(' or ')
  if (resolved.items) return `list of ${typeOf(schemas, resolved.items)}`
  if (resolved.properties) return `{ ${Object.keys(resolved.properties).join(', ')} }`
  if (resolved.const !== undefined) return JSON.stringify(resolved.const)
  if (resolved.enum) return resolved.enum.map((value) => JSON.stringify(value)).join(' or ')
  return [resolved.type ?? 'any'].flat().join(' or ')
}

function rulesOf({ minLength, maxLength, maxItems, pattern, format, description }: JsonSchema): string {
  const least = minLength === undefined ? 'at most' : `${minLength} to`
  return [
    maxLength !== undefined && `${least} ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems}`,
    format ?? pattern,
    description,
  ]
    .filter(Boolean)
    .join('; ')
}
