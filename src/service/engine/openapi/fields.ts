import type { JsonSchema } from './schemas.ts'

/** Describes one member of a body, or one parameter. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

type Named = Readonly<Record<string, JsonSchema>>

/** The members of an object, or of the objects of a list. */
export function fieldsOf(named: Named, schema: JsonSchema = {}): Field[] {
  const { items, properties = {}, required = [] } = resolve(named, schema)
  if (items) return fieldsOf(named, items)
  return Object.entries(properties).map(([name, member]) => ({
    name,
    type: typeOf(named, member),
    required: required.includes(name),
    description: rulesOf(member),
  }))
}

function resolve(named: Named, schema: JsonSchema): JsonSchema {
  return schema.$ref === undefined ? schema : (named[schema.$ref.replace(/^.*\//, '')] ?? {})
}

function typeOf(named: Named, schema: JsonSchema): string {
  const known = resolve(named, schema)
  if (known.anyOf) return [...new Set(known.anyOf.map((option) => typeOf(named, option)))].join(' or ')
  if (known.items) return `list of ${typeOf(named, known.items)}`
  if (known.properties) return `{ ${Object.keys(known.properties).join(', ')} }`
  if (known.const !== undefined) return JSON.stringify(known.const)
  if (known.enum) return known.enum.map((value) => JSON.stringify(value)).join(' or ')
  return [known.type ?? 'any'].flat().join(' or ')
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
