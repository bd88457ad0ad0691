import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { errorStatus } from '../../src/contract/errors.ts'
import { adminOperations } from '../../src/admin-contract/operations.ts'
import { operations } from '../../src/contract/operations.ts'
import { adminExamples } from '../../src/service/engine/openapi/admin-examples.ts'
import { createConsoleOpenApi, createOpenApi } from '../../src/service/engine/openapi/document.ts'
import type { JsonSchema } from '../../src/service/engine/openapi/schemas.ts'
import { examples } from '../../src/service/engine/openapi/examples.ts'
import { createProgram } from '../../src/cli/program.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'

const vendor = { scheme: 'Acme', mediaType: 'acme' }
const json = (value: unknown): Record<string, unknown> => JSON.parse(JSON.stringify(value))

type Shown = Readonly<Record<string, JsonSchema>>

describe('the OpenAPI document', () => {
  const document = createOpenApi({ vendor, address: 'https://mfa.example/api' })

  inFullRun('the OpenAPI document is valid by an independent validator, with all its references', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(json(document))

    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)
    for (const [, kind, name] of references) {
      expect(document.components[kind as 'schemas']).toHaveProperty(name!)
    }
  })

  it('the OpenAPI document uses the words of the vendor only', () => {
    const text = JSON.stringify(document)

    expect(text).toContain('application/vnd.acme.v1+json; version=1.4')
    expect(text).not.toContain('vnd.service')
    expect(document.components.securitySchemes.apiKey.description).toContain('`Acme key=')
  })

  it('the OpenAPI document describes both versions: a session has two members in 1.3', () => {
    const { Session13, Session, User13, User } = document.components.schemas as Shown

    expect(Object.keys(Session13!.properties!)).toEqual(['id', 'state'])
    expect(Session13!.properties!['state']!.enum).toEqual(['pending', 'approved', 'denied'])
    expect(Object.keys(Session!.properties!)).toContain('settledAt')
    expect(Object.keys(User!.properties!)).toEqual([
      ...Object.keys(User13!.properties!),
      'factors',
      'passkeys',
      'phishingResistant',
      'everEnrolled',
      'hadBypassCodes',
      'importState',
      'importedCodes',
      'epoch',
      'language',
      'timeZone',
    ])
  })

  it('the OpenAPI document contains the limits of texts', () => {
    const { NewUser } = document.components.schemas as Shown

    expect(NewUser!.properties!).toMatchObject({
      username: { minLength: 1, maxLength: 128 },
      email: { format: 'email' },
    })
  })

  it('the OpenAPI document contains every error code', () => {
    const text = JSON.stringify(document.components.schemas['ErrorBody'])

    for (const code of Object.keys(errorStatus)) expect(text).toContain(code)
  })
})

describe('the OpenAPI document of the console', () => {
  const document = createConsoleOpenApi({ vendor, address: 'https://console.example/console/api' })

  inFullRun('the OpenAPI document of the console is valid by an independent validator', async () => {
    const { valid, errors } = await new Validator().validate(json(document))

    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('the OpenAPI document of the console contains each operation with the roles that may call it', () => {
    const described = Object.values(document.paths).flatMap((path) => Object.values(path))

    expect(described.map(({ operationId }) => operationId).sort()).toEqual(
      adminOperations.map(({ name }) => name).sort(),
    )
    expect(document.paths['/admin/administrators/{administratorId}']?.['delete']?.description).toContain(
      'For owner. Needs a passkey that was used within 5 minutes.',
    )
  })
})

const allExamples = { ...examples, ...adminExamples }

describe('the examples', () => {
  it.each([...operations, ...adminOperations])(
    'the example of an operation matches the contract: $name',
    ({ name, endpoint }) => {
      const example = allExamples[name]!

      expect('request' in example).toBe(endpoint.body !== undefined || endpoint.file !== undefined)
      expect('answer' in example).toBe(endpoint.response !== undefined)
      expect(endpoint.body?.safeParse(example.request).error).toBeUndefined()
      expect(endpoint.response?.parse(example.answer)).toEqual(example.answer)
    },
  )

  it('the examples belong to existing operations', () => {
    expect(Object.keys(examples).sort()).toEqual(operations.map(({ name }) => name).sort())
    expect(Object.keys(adminExamples).sort()).toEqual(adminOperations.map(({ name }) => name).sort())
  })
})

describeInFullRun('second-factor openapi', () => {
  it('second-factor openapi prints the document with the words of the vendor', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    onTestFinished(() => log.mockRestore())

    const args = ['openapi', '--address', '/mfa', '--scheme', 'Acme', '--media-type', 'acme']
    await (await createProgram(args)).parseAsync(args, { from: 'user' })

    expect(JSON.parse(log.mock.calls.join('\n'))).toEqual(json(createOpenApi({ vendor, address: '/mfa' })))
  })
})
