import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { describeInFullRun } from '../../../support/full-run.ts'
import { startTransports, transports } from '../../../support/transports.ts'
import { unique } from '../../features/codes/code-holder.ts'
import { newUser, read, startService, unknownId, v14 } from '../../start-service.ts'
import type { createCall } from '../../start-service.ts'

let running: Awaited<ReturnType<typeof startTransports>>

beforeAll(async () => {
  running = await startTransports()
})
afterAll(() => running.close())

const v13 = { accept: 'application/vnd.service.v1+json' }

describe.each(transports)('%s', (transport) => {
  const call: ReturnType<typeof createCall> = (...args) => running.over(transport).call(...args)
  const send = (path: string, init: RequestInit) => {
    const { origin, send: fetch } = running.over(transport)
    return fetch(`${origin}/api${path}`, init)
  }

  describe('every response', () => {
    it('every successful response to callers of 1.3 is 200 with the plain vendor type', async () => {
      const answer = await call('GET', '/ping', { headers: v13 })

      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('application/vnd.service.v1+json')
      expect(answer.text).toBe('{"status":"OK"}')
    })

    it('every response to callers of 1.4 names the version', async () => {
      const answer = await call('GET', '/organization')

      expect(answer.headers.get('content-type')).toBe(v14)
      expect(answer.json).toEqual({ name: running.organization.name })
    })

    it('every response carries neither ETag nor X-Powered-By, and is not cached', async () => {
      const { headers } = await call('GET', '/ping')

      expect(headers.get('etag')).toBeNull()
      expect(headers.get('x-powered-by')).toBeNull()
      expect(headers.get('cache-control')).toBe('no-store')
    })

    it('every response without content is 200 with Content-Length 0', async () => {
      const { json: user } = await call('POST', '/users', { body: newUser(`without-content ${transport}`) })

      const answer = await call('DELETE', `/users/${user.id}`)

      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-length')).toBe('0')
      expect(answer.headers.get('content-type')).toBeNull()
    })

    it('every response to HEAD is the response to GET without its content', async () => {
      const answer = await call('HEAD', '/ping')

      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-length')).toBe('15')
      expect(answer.text).toBe('')
    })
  })

  describe('the API key', () => {
    const key = () => running.apiKey

    it.each([
      ['no header', () => undefined],
      ['another scheme', () => `Bearer key="${key()}"`],
      ['an unknown key', () => `Service key="${'a'.repeat(64)}"`],
      ['a key that is cut short', () => `Service key="${key().slice(1)}"`],
      ['a key with something after it', () => `Service key="${key()}" or not`],
      ['a key in other letters', () => `Service key="${key().toLowerCase()}"`],
    ])('an invalid API key is rejected: %s', async (_what, header) => {
      const authorization = header()
      const answer = await read(await send('/ping', { headers: authorization === undefined ? {} : { authorization } }))

      expect(answer.status).toBe(401)
      expect(answer.code).toBe('api.error.unauthorized')
      expect(answer.headers.get('www-authenticate')).toContain('Service')
      expect(answer.headers.get('content-type')).toBe('application/vnd.service.v1+json')
    })

    it('the API key is accepted with the scheme in any case, with or without quotes', async () => {
      const quoted = await call('GET', '/ping', { headers: { authorization: `sERVICE key="${key()}"` } })
      const bare = await call('GET', '/ping', { headers: { authorization: `Service key=${key()}` } })

      expect([quoted.status, bare.status]).toEqual([200, 200])
    })

    it('the API key is required before an unknown path or method is reported', async () => {
      const unknown = await send('/unknown', {})
      const method = await send('/ping', { method: 'DELETE' })

      expect([unknown.status, method.status]).toEqual([401, 401])
    })
  })

  describe('an operation', () => {
    it('a request is 404 if its path does not exist', async () => {
      const answer = await call('GET', '/unknown')

      expect([answer.status, answer.code]).toEqual([404, 'api.error.notfound.operation'])
    })

    it('a request is 405 with Allow if its path has other methods', async () => {
      const answer = await call('PATCH', '/users')

      expect([answer.status, answer.code]).toEqual([405, 'api.error.methodnotallowed'])
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST'])
    })

    it('a request for an unknown version is 406, reported in the type of 1.3', async () => {
      const answer = await call('GET', '/ping', {
        headers: { accept: 'application/vnd.service.v1+json; version=1.5' },
      })

      expect([answer.status, answer.code]).toEqual([406, 'api.error.notacceptable'])
      expect(answer.headers.get('content-type')).toBe('application/vnd.service.v1+json')
    })

    it('a request that accepts anything is answered in the version of its body', async () => {
      const headers = { accept: '*/*', 'content-type': 'application/vnd.service.v1+json; version=1.4' }
      const answer = await call('POST', '/users', { headers, body: { username: unique(), name: 'A' } })

      expect(answer.headers.get('content-type')).toBe('application/vnd.service.v1+json; version=1.4')
      expect(answer.json).toMatchObject({ everEnrolled: false })
    })

    it('a request for plain JSON is answered in plain JSON', async () => {
      const accepted = await call('GET', '/ping', { headers: { accept: 'application/json' } })
      const refused = await call('GET', '/unknown', { headers: { accept: 'application/json' } })

      expect([accepted, refused].map(({ headers }) => headers.get('content-type'))).toEqual([
        'application/json',
        'application/json',
      ])
      expect(accepted.json).toEqual({ status: 'OK' })
    })

    it('an operation that 1.4 added is 404 for callers of 1.3', async () => {
      const path = `/domains/${running.domain.id}/sessions/${unknownId}/redeem`

      const old = await call('POST', path, { headers: v13, body: { challenge: 'A'.repeat(22) } })
      const current = await call('POST', path, { body: { challenge: 'A'.repeat(22) } })

      expect(old.code).toBe('api.error.notfound.operation')
      expect(current.code).toBe('api.error.notfound.session')
    })

    it('an operation finds nothing by a malformed id', async () => {
      const codes = await Promise.all([
        call('GET', '/users/1'),
        call('GET', `/users/${unknownId.replaceAll('0', 'A')}`),
        call('GET', '/domains/1'),
        call('GET', `/domains/${running.domain.id}/sessions/1`),
      ])

      expect(codes.map((answer) => [answer.status, answer.code])).toEqual([
        [404, 'api.error.notfound.user'],
        [404, 'api.error.notfound.user'],
        [404, 'api.error.notfound.domain'],
        [404, 'api.error.notfound.session'],
      ])
    })

    it('a request is malformed if its path or query cannot be decoded', async () => {
      const path = await call('GET', '/users/%zz')
      const query = await call('GET', '/users?username=%zz')

      expect([path.code, query.code]).toEqual(['api.error.malformed', 'api.error.malformed'])
    })
  })

  describe('a body', () => {
    it.each(['application/x-www-form-urlencoded', 'text/plain', 'application/json; charset=latin1', ''])(
      'a request body is read as JSON when its type is %j',
      async (type) => {
        const answer = await call('POST', '/users', {
          raw: JSON.stringify(newUser(`typed ${type} ${transport}`)),
          headers: { 'content-type': type },
        })

        expect(answer.status).toBe(200)
      },
    )

    it.each(['multipart/form-data; boundary=x', 'image/png', 'text/xml', 'application/xml', 'application/soap+xml'])(
      'a request body is 415 when its type is %s',
      async (type) => {
        const answer = await call('POST', '/users', { raw: '{}', headers: { 'content-type': type } })

        expect([answer.status, answer.code]).toEqual([415, 'api.error.unsupportedmediatype'])
      },
    )

    it.each(['', '{', 'null', '[]', '"text"', '{"username":"a"'])('a request body is malformed: %j', async (raw) => {
      const answer = await call('POST', '/users', { raw })

      expect([answer.status, answer.code]).toEqual([400, 'api.error.malformed'])
    })

    it('a request body is 413 when it is too large', async () => {
      const answer = await call('POST', '/users', { raw: JSON.stringify({ name: 'x'.repeat(1024 * 1024) }) })

      expect([answer.status, answer.code]).toEqual([413, 'api.error.toolarge'])
    })

    it('an invalid request body is named by its field, and never quoted', async () => {
      const answer = await call('POST', '/users', { body: { ...newUser('quoted'), email: 'secret-thing' } })

      expect([answer.status, answer.code]).toEqual([400, 'api.error.invalid.email'])
      expect(answer.text).not.toContain('secret-thing')
    })
  })
})

describeInFullRun('a service with another vendor name', () => {
  it('a service with another vendor name uses its own scheme and media type, and no others', async () => {
    const other = await startService({ vendor: { scheme: 'Acme', mediaType: 'acme' }, basePath: '/mfa/v1' })
    const get = (authorization: string) => fetch(`${other.origin}/mfa/v1/ping`, { headers: { authorization } })

    const own = await get(`Acme key="${other.apiKey}"`)
    const usual = await get(`Service key="${other.apiKey}"`)
    await other.close()

    expect(own.headers.get('content-type')).toBe('application/vnd.acme.v1+json')
    expect(usual.status).toBe(401)
    expect(usual.headers.get('www-authenticate')).toContain('Acme')
  })
})

describe('options', () => {
  it.each([
    [{}, 'database'],
    [{ database: ':memory:', basePath: 'api' }, 'basePath'],
    [{ database: ':memory:', dataBase: 'x' }, 'dataBase'],
    [{ database: ':memory:', vendor: { scheme: 'two words' } }, 'vendor.scheme'],
    [{ database: ':memory:', clock: {} }, 'clock'],
  ])('the options %j are a TypeError that names the mistake', async (options, name) => {
    const opening = startService({ database: undefined as never, ...options } as never)

    await expect(opening).rejects.toThrow(TypeError)
    await expect(opening).rejects.toThrow(name)
  })
})
