import { adminOperations } from '../../../admin-contract/operations.ts'
import { ErrorBody, errorStatus } from '../../../contract/errors.ts'
import { mediaType } from '../../../contract/media-type.ts'
import type { Vendor } from '../../../contract/media-type.ts'
import { operations, pathTemplate } from '../../../contract/operations.ts'
import type { Operation } from '../../../contract/operations.ts'
import { commonFailures, describeOperation } from './operation.ts'
import { createSchemas } from './schemas.ts'

export type OpenApi = ReturnType<typeof createOpenApi>

interface Place {
  readonly vendor: Vendor
  /** The address of the interface with its base path, or the path alone. */
  readonly address: string
}

/** The REST interface as an OpenAPI 3.1 document, generated from the contract. */
export function createOpenApi(place: Place) {
  const { scheme } = place.vendor
  return describeInterface(place, {
    title: 'Second Factor: REST interface',
    description: introduction(place.vendor),
    operations,
    security: 'apiKey',
    securitySchemes: {
      apiKey: {
        // Generated clients know few schemes of HTTP, and send what they are given here.
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: `The whole header: \`${scheme} key="…"\` with the API key of 64 characters.`,
      },
    },
  })
}

/** The interface of the console, the same way. */
export function createConsoleOpenApi(place: Place) {
  return describeInterface(place, {
    title: 'Second Factor: REST interface of the console',
    description: consoleIntroduction(place.vendor),
    operations: adminOperations,
    security: 'session',
    securitySchemes: {
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: '__Host-mfa-console',
        description:
          'The session of an administrator, which a sign-in with a passkey begins. Without https (on localhost): `mfa-console`.',
      },
    },
  })
}

interface Described<S> {
  readonly title: string
  /** Paragraphs. */
  readonly description: readonly string[]
  readonly operations: readonly Operation[]
  readonly security: string
  readonly securitySchemes: S
}

function describeInterface<S>({ vendor, address }: Place, described: Described<S>) {
  const { title, description, operations: all, security, securitySchemes } = described
  const schemas = createSchemas()
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {}
  for (const operation of all) {
    const path = (paths[pathTemplate(operation.endpoint.path)] ??= {})
    path[operation.endpoint.method.toLowerCase()] = describeOperation(operation, { vendor, schemas })
  }
  return {
    openapi: '3.1.1',
    info: {
      title,
      version: '1.4',
      license: { name: 'MIT', identifier: 'MIT' },
      description: description.join('\n\n'),
    },
    servers: [{ url: address || '/' }],
    security: [{ [security]: [] }],
    tags: [...new Set(all.map(({ section }) => section))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes,
      schemas: { ...schemas.components, ErrorBody: errorSchema() },
      responses: commonFailures(vendor),
    },
  }
}

/** A closed set: no other codes are returned. */
function errorSchema() {
  const described = createSchemas()
  described.convert(ErrorBody, 'got')
  return { ...described.components['ErrorBody'], 'x-error-codes': errorStatus }
}

/** Notes for all operations of the console, one paragraph each. */
function consoleIntroduction(vendor: Vendor): readonly string[] {
  return [
    'Administrators call it from the page of the console, with the cookie of their session. API keys are not accepted.',
    'Every request other than GET and HEAD carries the header `Origin` with the origin of the console. A GET from a page of another origin is forbidden.',
    `Bodies are JSON, and the version is always 1.4: \`${mediaType(vendor, '1.4')}\`.`,
    'Each operation names the roles that may call it. Ids of other organizations, and of domains that are not those of the administrator, do not exist for it (404).',
    '403 `api.error.forbidden.fresh`: use the passkey again with the operations below `/admin/confirmation`, then repeat the request. 403 `api.error.forbidden.own`: administrators do not change their own record.',
  ]
}

/** Notes for all operations, one paragraph each. */
export function introduction(vendor: Vendor): readonly string[] {
  return [
    `Every request carries the organization's API key: \`Authorization: ${vendor.scheme} key="<64 characters>"\`. The scheme word is matched without regard to case.`,
    `Bodies are JSON. \`Accept: ${mediaType(vendor, '1.3')}\`, \`*/*\` or no Accept at all means version 1.3; \`${mediaType(vendor, '1.4')}\` adds version 1.4, and the response's Content-Type says so. A request that accepts any version gets that of its own Content-Type. \`Accept: application/json\` is answered in that type, and \`application/json; version=1.4\` in version 1.4.`,
    'Every success is 200; an operation without content returns an empty body. Every error has the same body: a code to switch on, and a message for people.',
    'Lists have 100 entries a page, in the order of their creation; `Link` headers name the neighboring pages, and pages past the end are empty.',
    'An `X-Request-Id` that the caller sends is returned in the response and written to the log of the service.',
  ]
}
