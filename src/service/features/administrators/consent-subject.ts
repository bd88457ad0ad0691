import { z } from 'zod'

import type { Because } from '../../../admin-contract/because.ts'
import type { ConsentParameters } from '../../../admin-contract/consents.ts'
import { adminOperations } from '../../../admin-contract/operations.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import { validate } from '../../../contract/validate.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { ConsentSubject } from './rules.ts'
import { belongings } from '../users/belongings.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

const names = new Map(adminOperations.map(({ endpoint, name }) => [endpoint, name]))

/** Operations that change something about one person: an administrator can consent to them. */
const consentable = new Map(
  adminOperations.flatMap(({ endpoint, name }) => (isChangeOfPerson(endpoint) ? [[name, endpoint] as const] : [])),
)

export function isChangeOfPerson({ method, params, admin }: Endpoint): boolean {
  return method !== 'GET' && params !== undefined && 'userId' in params.shape && admin?.asks !== true
}

/** @throws {ApiProblem} `api.error.invalid.operation` */
export function consentableOperation(name: string): Endpoint {
  const endpoint = consentable.get(name)
  if (endpoint) return endpoint
  const expected = [...consentable.keys()].join(', ')
  throw new ApiProblem('api.error.invalid.operation', `operation: expected one of ${expected}`)
}

/**
 * The parameters of a request, as the operation itself would read them.
 * @throws {ApiProblem} `api.error.invalid.parameters`
 */
export function parseParameters(endpoint: Endpoint, parameters: ConsentParameters): ConsentParameters {
  const validated = validate(z.strictObject(parameterSchemas(endpoint)), parameters)
  if (validated.success) return validated.data as ConsentParameters
  const [{ path, message }] = validated.mistakes
  throw new ApiProblem('api.error.invalid.parameters', `${['parameters', ...path].join('.')}: ${message}`)
}

/** The subject of an action with this input. In its transaction, the domains are the current ones. */
export async function subjectOf(
  db: Queryable,
  endpoint: Endpoint,
  input: Readonly<Record<string, unknown>>,
  now: number,
): Promise<ConsentSubject> {
  const schemas = Object.keys(parameterSchemas(endpoint))
  const parameters = Object.fromEntries(schemas.map((name) => [name, input[name]])) as ConsentParameters
  const userId = String(input['userId'])
  return {
    operation: names.get(endpoint) ?? '',
    userId,
    because: input['because'] as Because,
    parameters,
    domainIds: await domainsConcerned(db, endpoint, { userId, domainId: input['domainId'] }, now),
  }
}

/** The domain of the operation, or those of the person where it counts in each of them. */
async function domainsConcerned(
  db: Queryable,
  { admin }: Endpoint,
  { userId, domainId }: { readonly userId: string; readonly domainId: unknown },
  now: number,
): Promise<readonly string[]> {
  if (typeof domainId === 'string' && !admin?.everywhere) return [domainId]
  return (await belongings(db, [userId], now)).get(userId)?.domainIds ?? []
}

/** The fields of path and body, without those that a request for consent has itself, and without secrets. */
function parameterSchemas({ params, body, admin }: Endpoint): Readonly<Record<string, z.ZodType>> {
  const all = { ...params?.shape, ...(body instanceof z.ZodObject ? body.shape : {}) } as Record<string, z.ZodType>
  const excludedNames = ['userId', 'because', ...(admin?.secrets ?? [])]
  return Object.fromEntries(Object.entries(all).filter(([name]) => !excludedNames.includes(name)))
}
