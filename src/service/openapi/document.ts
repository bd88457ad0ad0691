import { ErrorBody, errorStatus } from '../../contract/errors.ts'
import { mediaType } from '../../contract/media-type.ts'
import type { Vendor } from '../../contract/media-type.ts'
import { operations, pathTemplate } from '../../contract/operations.ts'
import { commonFailures, describeOperation } from './operation.ts'
import { createSchemas } from './schemas.ts'

export type OpenApi = ReturnType<typeof createOpenApi>

/**
 * The REST interface as an OpenAPI 3.1 document, generated from the contract.
 *
 * @param address The address of the interface with its base path, or the path alone.
 */
export function createOpenApi({ vendor, address }: { vendor: Vendor; address: string }) {
  const schemas = createSchemas()
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {}
  for (const operation of operations) {
    const path = (paths[pathTemplate(operation.endpoint.path)] ??= {})
    path[operation.endpoint.method.toLowerCase()] = describeOperation(operation, { vendor, schemas })
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Second Factor: REST interface',
      version: '1.4',
      license: { name: 'MIT', identifier: 'MIT' },
      description: introduction(vendor).join('\n\n'),
    },
    servers: [{ url: address || '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(operations.map(({ section }) => section))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: vendor.scheme,
          description: `\`Authorization: ${vendor.scheme} key="…"\` with the API key of 64 characters.`,
        },
      },
      schemas: { ...schemas.named, ErrorBody: errorSchema() },
      responses: commonFailures(vendor),
    },
  }
}

/** A closed set: no other codes are returned. */
function errorSchema() {
  const described = createSchemas()
  described.of(ErrorBody, 'got')
  return { ...described.named['ErrorBody'], 'x-error-codes': errorStatus }
}

/** Notes for all operations, one paragraph each. */
export function introduction(vendor: Vendor): readonly string[] {
  return [
    `Every request carries the organization's API key: \`Authorization: ${vendor.scheme} key="<64 characters>"\`. The scheme word is matched without regard to case.`,
    `Bodies are JSON. \`Accept: ${mediaType(vendor, '1.3')}\`, \`*/*\` or no Accept at all means version 1.3; \`${mediaType(vendor, '1.4')}\` adds version 1.4, and the response's Content-Type says so.`,
    'Every success is 200; an operation without content returns an empty body. Every error has the same body: a code to switch on, and a message for people.',
    'Lists have 100 entries a page, in the order of their creation; `Link` headers name the neighboring pages, and pages past the end are empty.',
    'An `X-Request-Id` that the caller sends is returned in the response and written to the log of the service.',
  ]
}
