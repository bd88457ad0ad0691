import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createOpenApi } from '../../../../src/service/engine/openapi/document.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { unique } from '../../features/codes/code-holder.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

/*
 * Clients that openapi-typescript (with openapi-fetch), @hey-api/openapi-ts and orval generate are as good as the document: they send
 * what its security scheme names, in the first content type of a body, and no Accept. Instead of installing them, `generate` reads of the
 * document what they read.
 */

let running: Running
let client: ReturnType<typeof generate>

beforeAll(async () => {
  running = await startService()
  client = generate(describeService(), `Service key="${running.apiKey}"`)
})
afterAll(() => running.close())

interface Described {
  readonly operationId: string
  readonly security?: unknown
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

interface Described31 {
  readonly servers: readonly { readonly url: string }[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly securitySchemes: Readonly<
      Record<string, { readonly type: string; readonly in?: string; readonly name?: string }>
    >
  }
}

/** The document as a program reads it. */
function describeService(): Described31 {
  const vendor = { scheme: 'Service', mediaType: 'service' }
  const document = createOpenApi({ vendor, address: `${running.origin}/api` })
  return JSON.parse(JSON.stringify(document)) as Described31
}

const operationsOf = ({ paths }: Described31) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

interface Sent {
  readonly path?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** @param secret What the security scheme of the document asks for. */
function generate(document: Described31, secret: string) {
  const [scheme] = Object.keys(document.security[0] ?? {}).map((name) => document.components.securitySchemes[name])
  const authorized = scheme?.type === 'apiKey' && scheme.in === 'header' ? { [scheme.name ?? '']: secret } : {}
  return async (operationId: string, { path = {}, body }: Sent) => {
    const described = operationsOf(document).find(({ operation }) => operation.operationId === operationId)
    const address = described?.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
    const [contentType] = Object.keys(described?.operation.requestBody?.content ?? {})
    const answer = await fetch(`${document.servers[0]?.url}${address}`, {
      method: described?.method.toUpperCase() ?? '',
      headers: { ...authorized, ...(contentType && { 'content-type': contentType }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const type = answer.headers.get('content-type') ?? ''
    const text = await answer.text()
    return { status: answer.status, type, json: isJson(type) ? (JSON.parse(text) as Record<string, unknown>) : text }
  }
}

/** As generated clients decide whether to parse an answer: without its parameters. */
const isJson = (type: string) => /^application\/(json|.*\+json)$/.test(type.split(';', 1)[0]?.trim() ?? '')

describe('a client that is generated from the OpenAPI document', () => {
  it('a generated client is authorized by its security scheme, and gets version 1.4 by the type of its body', async () => {
    const { user } = await running.enroll(unique())

    const { status, type, json } = await client('createSession', {
      path: { domainId: running.domain.id },
      body: { user: { id: user.id }, numberMatching: true },
    })

    expect([status, type]).toEqual([200, 'application/vnd.service.v1+json; version=1.4'])
    expect(json).toMatchObject({
      state: 'pending',
      number: expect.stringMatching(/^\d\d$/),
      expiresAt: expect.any(Number),
    })
  })

  it('a generated client that asks for an operation of version 1.4 without Accept is told what to send', async () => {
    const { status, json } = await client('listPendingSessions', {
      path: { domainId: running.domain.id, userId: 'unknown' },
    })

    const message = 'Version 1.3 has no such operation: ask for version 1.4 in the header Accept.'
    expect([status, json]).toEqual([404, { errors: [{ code: 'api.error.notfound.operation', message }] }])
  })

  it('a generated client reads answers and errors as JSON', async () => {
    expect((await client('ping', {})).json).toEqual({ status: 'OK' })
    expect((await client('getUser', { path: { userId: 'unknown' } })).json).toMatchObject({
      errors: [{ code: 'api.error.notfound.user' }],
    })
  })

  inFullRun('a generated client sends the header Authorization as the caller gives it, for every operation', () => {
    const { components, security, ...document } = describeService()

    expect(components.securitySchemes['apiKey']).toMatchObject({ type: 'apiKey', in: 'header', name: 'Authorization' })
    expect(security).toEqual([{ apiKey: [] }])
    // An operation with requirements of its own would not have those of the document.
    const all = operationsOf({ components, security, ...document })
    expect(all.filter(({ operation }) => operation.security !== undefined)).toEqual([])
    expect(all.flatMap(({ operation }) => operation.parameters ?? []).map(({ name }) => name)).not.toContain(
      'Authorization',
    )
  })

  inFullRun('a generated client finds the newest version first in every body and answer, as JSON', () => {
    const contents = operationsOf(describeService()).flatMap(({ operation: { operationId, requestBody, responses } }) =>
      [requestBody, ...Object.values(responses)].flatMap((described) =>
        described?.content ? [{ operationId, types: Object.keys(described.content) }] : [],
      ),
    )

    expect(contents.length).toBeGreaterThan(50)
    const ofVendor = contents.filter(({ types: [first] }) => first?.includes('vnd'))
    expect(ofVendor.filter(({ types: [first] }) => !first?.endsWith('; version=1.4'))).toEqual([])
    expect(ofVendor.filter(({ types }) => !types.every(isJson))).toEqual([])
  })

  inFullRun(
    'a generated client has a function for each operation, with a name of its own, and a parameter for each in the path',
    () => {
      const all = operationsOf(describeService())
      const names = all.map(({ operation }) => operation.operationId)

      expect(new Set(names).size).toBe(names.length)
      for (const { path, operation } of all) {
        expect(operation.operationId).toMatch(/^[a-z][A-Za-z0-9]*$/)
        const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path' && parameter.required)
        expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
      }
    },
  )
})
