import { defaultFieldResolver } from 'graphql'
import { verifiedMfa } from 'second-factor'

/**
 * Has each root field of a schema checked before it runs, unless it is listed as public. A field that is added later needs the second step.
 *
 * @param publicFields names such as `Mutation.login`.
 */
export function protectSchema(schema, publicFields) {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(Boolean)
  const fields = new Map(
    roots.flatMap((type) => Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field])),
  )
  const unknown = publicFields.filter((name) => !fields.has(name))
  if (unknown.length > 0) throw new Error(`There are no fields ${unknown.join(', ')}.`)
  for (const [name, field] of fields) {
    if (!publicFields.includes(name)) protectField(field)
  }
  return schema
}

function protectField(field) {
  for (const member of field.subscribe ? ['subscribe', 'resolve'] : ['resolve']) {
    const original = field[member] ?? defaultFieldResolver
    field[member] = (source, args, context, info) => {
      // It throws an error with the code MFA_REQUIRED in its extensions.
      verifiedMfa(context.req)
      return original(source, args, context, info)
    }
  }
}
