import { z } from 'zod'

/**
 * The names of members that a schema does not declare, such as `user.device`. Elements of an array have no index.
 * @param value A value that the schema accepts.
 */
export function unknownMembers(schema: z.ZodType, value: unknown): ReadonlySet<string> {
  return new Set(walk(schema, value, ''))
}

function* walk(schema: unknown, value: unknown, parent: string): Generator<string> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) yield* walk(schema.unwrap(), value, parent)
  if (schema instanceof z.ZodPipe) yield* walk(schema.in, value, parent)
  if (schema instanceof z.ZodUnion) yield* walk(acceptingOption(schema, value), value, parent)
  if (schema instanceof z.ZodArray && Array.isArray(value))
    for (const element of value) yield* walk(schema.element, element, parent)
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(schema.shape, name)) yield* walk(schema.shape[name], member, `${parent}${name}.`)
    else yield `${parent}${name}`
  }
}

const acceptingOption = ({ options }: z.ZodUnion, value: unknown) =>
  (options as readonly z.ZodType[]).find((option) => option.safeParse(value).success)
