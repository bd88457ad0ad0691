import { z } from 'zod'

import * as administrators from '../../../admin-contract/administrators.ts'
import * as adminSignIn from '../../../admin-contract/sign-in.ts'
import * as bypassCodes from '../../../contract/bypass-codes.ts'
import * as domains from '../../../contract/domains.ts'
import * as errors from '../../../contract/errors.ts'
import * as hardware from '../../../contract/hardware.ts'
import * as organization from '../../../contract/organization.ts'
import * as sessions from '../../../contract/sessions.ts'
import * as tokens from '../../../contract/tokens.ts'
import * as users from '../../../contract/users.ts'

/** A schema in OpenAPI 3.1 (JSON Schema 2020-12). */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly maxItems?: number
  readonly anyOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly description?: string
}

/** Converts schemas of the contract to JSON Schema. Exported schemas are referenced by name. */
export interface Schemas {
  /** @param direction Whether callers send or receive it: optional members may differ. */
  convert(type: z.ZodType, direction: 'sent' | 'got'): JsonSchema
  /** Referenced schemas, by name. */
  readonly components: Readonly<Record<string, JsonSchema>>
}

const modules = [
  administrators,
  adminSignIn,
  bypassCodes,
  domains,
  errors,
  hardware,
  organization,
  sessions,
  tokens,
  users,
]

const names = new Map(
  modules
    .flatMap((exported) => Object.entries(exported))
    .flatMap(([name, value]) => (value instanceof z.ZodObject ? [[value as z.ZodType, name]] : [])),
)

export function createSchemas(): Schemas {
  const components: Record<string, JsonSchema> = {}
  const convertType: Schemas['convert'] = (type, direction) => {
    const name = names.get(type)
    if (name !== undefined) {
      components[name] ??= convert(type, direction)
      return { $ref: `#/components/schemas/${name}` }
    }
    if (type instanceof z.ZodArray) return { type: 'array', items: convertType(type.element as z.ZodType, direction) }
    if (type instanceof z.ZodUnion)
      return { anyOf: type.options.map((option) => convertType(option as z.ZodType, direction)) }
    return convert(type, direction)
  }
  return { convert: convertType, components }
}

function convert(type: z.ZodType, direction: 'sent' | 'got'): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    io: direction === 'sent' ? 'input' : 'output',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // Later versions may add members.
      delete jsonSchema.additionalProperties
      // Named formats are not spelled out as patterns.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      if (zodSchema instanceof z.ZodObject) leaveOutNever(zodSchema, jsonSchema)
    },
  })
  return schema as JsonSchema
}

/** Members that only forbid others. */
function leaveOutNever(type: z.ZodObject, schema: z.core.JSONSchema.BaseSchema): void {
  for (const [name, member] of Object.entries(type.shape)) {
    if (member instanceof z.ZodOptional && member.unwrap() instanceof z.ZodUndefined) delete schema.properties?.[name]
  }
}
