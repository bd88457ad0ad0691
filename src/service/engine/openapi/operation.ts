import { z } from 'zod'

import { AdminRole, mayCall } from '../../../contract/roles.ts'
import type { AdminAccess } from '../../../contract/roles.ts'
import { commonErrors, errorStatus } from '../../../contract/errors.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import { idempotencyKeyHeader, rememberedFor } from '../../../contract/idempotency-key.ts'
import { isFile, responseSchema } from '../../../contract/endpoint.ts'
import type { Endpoint, FileBody, Version } from '../../../contract/endpoint.ts'
import { mediaType } from '../../../contract/media-type.ts'
import type { Vendor } from '../../../contract/media-type.ts'
import type { Operation } from '../../../contract/operations.ts'
import { maxWait } from '../../../contract/sessions.ts'
import { messageOf } from '../base/problem.ts'
import { adminExamples } from './admin-examples.ts'
import { exampleParams, examples as restExamples } from './examples.ts'
import type { Schemas } from './schemas.ts'

const examples = { ...restExamples, ...adminExamples }

/** Settings for all operations of one document. */
export interface Describing {
  readonly vendor: Vendor
  readonly schemas: Schemas
}

/** One operation as an OpenAPI Operation Object. */
export function describeOperation({ name, section, endpoint }: Operation, context: Describing) {
  return {
    operationId: name,
    tags: [section],
    summary: endpoint.summary,
    description: descriptionOf(endpoint),
    parameters: [
      ...pathParameters(endpoint),
      ...queryParameters(endpoint, context),
      ...headerParameters(endpoint, context),
    ],
    ...(endpoint.body && { requestBody: requestBody(name, endpoint, context) }),
    ...(endpoint.file && { requestBody: fileBody(name, endpoint.file) }),
    responses: { '200': success(name, endpoint, context), ...failures(endpoint, context) },
  }
}

function descriptionOf({ method, role, since, bodyLimit = 0, file, admin }: Endpoint): string {
  const limit = file?.limit ?? bodyLimit
  return [
    admin ? callersOf(method, admin) : role === 'auth' ? 'For keys of any role.' : 'For keys of role admin only.',
    !admin && since && `Since ${since}: only where the Accept header asks for it.`,
    limit > 0 && `The body may have ${limit / 1024 / 1024} MiB.`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** The administrators who may call an operation of the console, as its reference says it. */
export function callersOf(method: string, admin: AdminAccess): string {
  if (admin.role === 'none') return 'Needs no session.'
  const roles = AdminRole.options.filter((role) => mayCall(role, { method, admin }))
  const audience = roles.length === AdminRole.options.length ? 'For every administrator.' : `For ${roles.join(', ')}.`
  return [
    audience,
    admin.whole && 'Not for those who are limited to some domains.',
    admin.fresh && 'Needs a passkey that was used within 5 minutes.',
  ]
    .filter(Boolean)
    .join(' ')
}

function pathParameters({ path }: Endpoint) {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', pattern: '^[0-9a-f]{40}$' },
    example: exampleParams[name as keyof typeof exampleParams],
  }))
}

const queryNotes: Readonly<Record<string, { description: string; example: unknown }>> = {
  page: { description: 'Which hundred, from 1.', example: 1 },
  username: { description: 'Compared byte for byte; a plus is a plus.', example: 'alice' },
}

/** Beside `page`: other lists mean something else by the name. */
const afterNote =
  'Since 1.4, instead of `page`: empty for the first page, then what the header `Link` names as the `next` one. No row moves to another page when others are added or deleted meanwhile.'

function queryParameters({ query }: Endpoint, { schemas }: Describing) {
  const shape = query?.shape ?? {}
  return Object.entries(shape).map(([name, type]) => ({
    name,
    in: 'query',
    required: false,
    ...queryNotes[name],
    ...(name === 'after' && 'page' in shape && { description: afterNote }),
    schema: name === 'page' ? { type: 'integer', minimum: 1 } : schemas.convert(type as z.ZodType, 'sent'),
  }))
}

const idempotencyKey = {
  name: idempotencyKeyHeader,
  in: 'header',
  required: false,
  description: `Names this request. Another one with the same key and the same content gets the same answer for ${rememberedFor / 60} minutes, and creates nothing again.`,
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
}

function headerParameters({ held, headers, repeatable }: Endpoint, { schemas }: Describing) {
  const namedHeaders = Object.entries(headers?.shape ?? {}).map(([name, type]) => ({
    name: `X-${name[0]?.toUpperCase()}${name.slice(1)}`,
    in: 'header',
    required: false,
    schema: schemas.convert(type as z.ZodType, 'sent'),
  }))
  const ownHeaders = [...namedHeaders, ...(repeatable ? [idempotencyKey] : [])]
  if (!held) return ownHeaders
  return [
    ...ownHeaders,
    {
      name: 'Prefer',
      in: 'header',
      required: false,
      description: `\`wait=N\` holds the response until there is something new or N seconds have passed; at most ${maxWait} (RFC 7240).`,
      schema: { type: 'string' },
      example: 'wait=25',
    },
  ]
}

function requestBody(name: string, endpoint: Endpoint, { vendor, schemas }: Describing) {
  const contents = versionsOf(endpoint).flatMap((version) => {
    const type = version === '1.3' ? (endpoint.body13 ?? endpoint.body) : endpoint.body
    if (!type) return []
    const example = knownMembers(type, examples[name]?.request)
    return [[mediaType(vendor, version), { schema: schemas.convert(type, 'sent'), example }]]
  })
  return { required: true, content: Object.fromEntries(contents) as object }
}

function fileBody(name: string, { media }: FileBody) {
  const example = examples[name]?.request
  const contents = media.map((type, index) => [type, { schema: { type: 'string' }, ...(index === 0 && { example }) }])
  return { required: true, content: Object.fromEntries(contents) as object }
}

/** The part of an example that a version's schema contains. */
function knownMembers(type: z.ZodType, example: unknown): unknown {
  if (!(type instanceof z.ZodObject) || typeof example !== 'object' || example === null) return example
  return Object.fromEntries(Object.entries(example).filter(([name]) => name in type.shape))
}

function success(name: string, endpoint: Endpoint, context: Describing) {
  const content = answerContent(name, endpoint, context)
  return {
    description: content ? 'Done.' : 'Done. There is no content.',
    headers: { ...requestIdHeader, ...(endpoint.query && 'page' in endpoint.query.shape && linkHeader) },
    ...(content && { content }),
  }
}

function answerContent(name: string, endpoint: Endpoint, { vendor, schemas }: Describing) {
  const answer = examples[name]?.answer
  if (endpoint.media === 'image/png') return { 'image/png': {} }
  if (isFile(endpoint.media)) return { [endpoint.media]: { schema: { type: 'string' }, example: answer } }
  if (endpoint.media) {
    return { [endpoint.media]: { schema: { type: 'string' }, example: `data: ${JSON.stringify(answer)}\n\n` } }
  }
  const contents = versionsOf(endpoint).flatMap((version) => {
    const type = responseSchema(endpoint, version)
    return type
      ? [[mediaType(vendor, version), { schema: schemas.convert(type, 'got'), example: type.parse(answer) }]]
      : []
  })
  return contents.length > 0 ? (Object.fromEntries(contents) as object) : undefined
}

/** Newest first, because it is the one to read. */
const versionsOf = ({ since }: Endpoint): readonly Version[] => (since === undefined ? ['1.4', '1.3'] : [since])

/** The errors specific to this operation; another method is another operation. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const withoutBody: readonly ErrorCode[] = ['api.error.toolarge', 'api.error.unsupportedmediatype']
  const common = commonErrors.filter(
    (code) => code !== 'api.error.methodnotallowed' && (endpoint.body || endpoint.file || !withoutBody.includes(code)),
  )
  return [...endpoint.errors, ...common]
}

function failures(endpoint: Endpoint, { vendor }: Describing) {
  const byStatus = Map.groupBy(errorsOf(endpoint), (code) => errorStatus[code])
  const described = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => [
      String(status),
      codes.every((code) => isCommon(code)) ? { $ref: `#/components/responses/${status}` } : failure(vendor, codes),
    ])
  return Object.fromEntries(described) as object
}

/** Errors that any operation can return, by status. */
export function commonFailures(vendor: Vendor): Readonly<Record<string, object>> {
  const byStatus = Map.groupBy(commonErrors, (code) => errorStatus[code])
  return Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), failure(vendor, codes)]))
}

const isCommon = (code: ErrorCode) => (commonErrors as readonly ErrorCode[]).includes(code)

function failure(vendor: Vendor, codes: readonly ErrorCode[]) {
  const waits = codes.some((code) => errorStatus[code] === 429 || errorStatus[code] === 503)
  const schema = { $ref: '#/components/schemas/ErrorBody' }
  const namedExamples = codes.map((code) => [code, { value: { errors: [{ code, message: messageOf(code) }] } }])
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: { ...requestIdHeader, ...(waits && retryHeader) },
    content: {
      [mediaType(vendor, '1.4')]: { schema, examples: Object.fromEntries(namedExamples) as object },
      [mediaType(vendor, '1.3')]: { schema },
    },
  }
}

const requestIdHeader = {
  'X-Request-Id': {
    description: "Names the request in the service's log: the caller's own id, where it sent one.",
    schema: { type: 'string' },
  },
}

const linkHeader = {
  Link: { description: 'The pages `first`, `prev` and `next` (RFC 8288).', schema: { type: 'string' } },
}

const retryHeader = {
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'integer' } },
}
