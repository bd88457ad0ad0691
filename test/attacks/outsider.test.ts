import { setTimeout as pause } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { operations } from '../../src/contract/operations.ts'
import { devicePaths } from '../../src/contract/device.ts'
import { activateDevice, read, startService, unknownId } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { engines, useEngine } from '../support/engines.ts'
import { openRaw } from '../support/raw-http.ts'
import { waitTimeout } from '../support/wait-timeout.ts'
import { hasPollutedPrototypes } from './polluted.ts'

/** The attacker has only network access: no key, no password, no device. */
let running: Running
let ids: Record<string, string>

beforeAll(async () => {
  running = await startService({ logRequests: true })
  const { user, ask } = await running.enroll('alice')
  const { id } = await ask()
  ids = { domainId: running.domain.id, userId: user.id, sessionId: id }
})
afterAll(() => running.close())

const port = () => Number(new URL(running.origin).port)

const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  read(await fetch(running.origin + path, { method, headers, ...(body !== undefined && { body }) }))

describe('an outsider without a key', () => {
  const keys = ['', 'Service', `Service key="${'a'.repeat(64)}"`, 'Service key="__proto__"', 'Bearer x', 'Device a.b.c']

  it.each(operations.map(({ name, endpoint }) => ({ name, endpoint })))(
    'an outsider without a key learns nothing from $name, which answers the same for existing and missing ids',
    async ({ endpoint }) => {
      const fill = (known: boolean) =>
        endpoint.path.replace(/:(\w+)/g, (_, name: string) => (known ? ids[name] : undefined) ?? unknownId)

      const answers = await Promise.all(
        keys.flatMap((authorization) =>
          [true, false].map((known) => send(endpoint.method, `/api${fill(known)}`, { authorization })),
        ),
      )

      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
      expect(answers[0]).toMatchObject({ status: 401, code: 'api.error.unauthorized' })
    },
  )

  it('an outsider without a key learns nothing from unknown paths or methods', async () => {
    const answers = await Promise.all([
      send('GET', '/api/nothing'),
      send('PATCH', '/api/users'),
      send('OPTIONS', '/api/users'),
    ])

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
  })

  it('an outsider cannot tell whether an activation code was used, has expired, or never existed', async () => {
    const { domain, call } = running
    const invite = async (username: string) => {
      const { json: user } = await call('POST', '/users', { body: { username, name: 'x', email: 'x@example.com' } })
      await call('PUT', `/domains/${domain.id}/users/${user.id}`)
      return (await call('PUT', `/domains/${domain.id}/users/${user.id}/token`)).json.code as string
    }
    const [used, expired] = [await invite('used'), await invite('expired')]
    await activateDevice(running.origin, running.clock, used)
    // No sweep runs meanwhile: the code is still in the database.
    running.clock.skip(7 * 24 * 60 * 60)

    const answers = await Promise.all(
      [used, expired, 'abcdefghjk'].map((code) => send('POST', '/device/preview', {}, JSON.stringify({ code }))),
    )

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(404)
  })
})

describe('a malicious body', () => {
  it.each([
    ['of arrays in arrays', `{"code":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['of objects in objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['that never closes', '['.repeat(60_000)],
    ['of one huge number', `{"code":${'9'.repeat(60_000)}}`],
    ['of escapes', `{"code":"${'\\u0000'.repeat(10_000)}"}`],
    ['of one name many times', `{${'"code":"a",'.repeat(5_000)}"code":"b"}`],
    ['for prototypes', '{"code":"abcdefghjk","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
  ])('a malicious body %s is rejected', async (_what, body) => {
    const answer = await send('POST', '/device/preview', {}, body)

    expect([400, 404]).toContain(answer.status)
    expect(hasPollutedPrototypes()).toBe(false)
  })

  it('a request body is not read past the maximum length', async () => {
    const answer = await send('POST', '/device/preview', {}, `"${'x'.repeat(70_000)}"`)

    expect([answer.status, answer.code]).toEqual([413, 'api.error.toolarge'])
  })

  it('a request body is not read at all before the API key is checked', async () => {
    const connection = await openRaw(port())

    connection.send('POST /api/users HTTP/1.1\r\nHost: x\r\nContent-Length: 16000000\r\n\r\n')
    const answer = await connection.answer()
    connection.end()

    expect(answer.status).toBe(401)
  })
})

describe('a malicious query or path', () => {
  it.each([
    '/device/preview?__proto__[polluted]=1&constructor.prototype.polluted=1',
    '/api/users?__proto__=polluted&constructor=polluted',
    '/device/__proto__',
    '/api/__proto__/constructor',
    '/device/images/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/authenticator/%2e%2e/%2e%2e/package.json',
    '/authenticator/..%2f..%2fpackage.json',
    '/authenticator/assets/..%5c..%5cpackage.json',
    '/authenticator/%00',
  ])('the malicious query or path %s finds nothing', async (path) => {
    const response = await fetch(running.origin + path)
    const text = await response.text()

    // Images are returned for any id, so they do not reveal which ids exist.
    expect(response.status < 400 ? response.headers.get('content-type') : 'refused').toMatch(/refused|image.png/)
    expect(text).not.toMatch(/root:|devDependencies/)
    expect(hasPollutedPrototypes()).toBe(false)
  })
})

describe.each(engines)('an id in a path, on %s', (engine) => {
  const newDatabase = useEngine(engine)

  it('the device protocol finds nothing by an id that a database cannot hold', async () => {
    const other = await startService({ database: await newDatabase() })
    onTestFinished(() => other.close())
    const { device, signer } = await other.enroll('alice')
    const signed = async (pathOf: (id: string) => string) => {
      const content = { nonce: 'A'.repeat(22), secret: 'A'.repeat(22), decision: 'deny' }
      const jws = await signer.sign({ htm: 'POST', path: pathOf('\0'), ...content })
      return device.post(pathOf('%00'), jws)
    }
    other.logged.length = 0

    const image = await fetch(`${other.origin}/device/images/%00`)
    const { answer, scan, answerCall, liftBlock, acknowledge } = devicePaths
    const calls = await Promise.all([answer, scan, answerCall, liftBlock, acknowledge].map(signed))

    expect([image, ...calls].map(({ status }) => status)).toEqual(Array(6).fill(400))
    expect(other.logged).toEqual([])
  })
})

describe('injected text', () => {
  const injected = ['%0d%0aSet-Cookie:%20a=b', '%0d%0a%0d%0a<script>', '%1b%5b31m', '%e2%80%ae']

  it.each(injected)('the injected text %s appears in no header and in no line of the log', async (text) => {
    running.logged.length = 0

    const answers = [
      await fetch(`${running.origin}/api/${text}`, { headers: { 'x-request-id': decodeURIComponent('a%20b') } }),
      await fetch(`${running.origin}/device/${text}?${text}=${text}`),
      await fetch(`${running.origin}/authenticator/${text}`, { redirect: 'manual' }),
    ]

    for (const { headers } of answers) {
      expect(headers.get('set-cookie')).toBeNull()
      expect([...headers.values()].join()).not.toMatch(/<script|31m|a b/)
    }
    const log = JSON.stringify(running.logged)
    expect(log).not.toMatch(/Set-Cookie|script|31m|\\u001b|\u202e/i)
  })

  it.each([
    'X-Request-Id: a\u001b[31mb',
    'X-Request-Id: a\u0000b',
    'X-Request-Id: "><script>',
    'X-Request-Id: a\u0085b',
  ])('the injected header %j is not used as a request id', async (line) => {
    const connection = await openRaw(port())

    connection.send(`GET /api/ping HTTP/1.1\r\nHost: x\r\n${line}\r\n\r\n`)
    const answer = await connection.answer()
    connection.end()

    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('a smuggled request', () => {
  /** Bytes that a proxy in front might read as the body of the first request, and the service as a second request. */
  const smuggled = () => `GET /api/ping HTTP/1.1\r\nHost: x\r\nAuthorization: Service key="${running.apiKey}"\r\n\r\n`
  const shapes: [string, (inner: string) => string][] = [
    ['two lengths', (inner) => `Content-Length: 0\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`],
    ['a length and chunks', (inner) => `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`],
    ['chunks and a length', (inner) => `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${inner}`],
    ['chunks that are not last', (inner) => `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${inner}`],
    ['chunks twice', (inner) => `Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n${inner}`],
    ['chunks by another name', (inner) => `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`],
    ['a blank before the colon', (inner) => `Content-Length : ${inner.length}\r\n\r\n${inner}`],
    ['a folded line', (inner) => `X: a\r\n Content-Length: ${inner.length}\r\n\r\n${inner}`],
    ['a signed length', (inner) => `Content-Length: +${inner.length}\r\n\r\n${inner}`],
    ['a length in two parts', (inner) => `Content-Length: 0, ${inner.length}\r\n\r\n${inner}`],
    ['a length in hexadecimal', (inner) => `Content-Length: 0x${inner.length.toString(16)}\r\n\r\n${inner}`],
    ['bare line feeds', (inner) => `X: a\nContent-Length: ${inner.length}\n\n${inner}`],
    ['a bare carriage return', (inner) => `X: a\rContent-Length: 0\r\n\r\n${inner}`],
    ['a chunk of a strange size', (inner) => `Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${inner}`],
    ['a chunk without its end', (inner) => `Transfer-Encoding: chunked\r\n\r\n1\r\nZQ\r\n0\r\n\r\n${inner}`],
    ['an end with line feeds', (inner) => `Transfer-Encoding: chunked\r\n\r\n0\n\n${inner}`],
  ]

  it.each(shapes)(
    'a smuggled request with %s is answered once, with an error, and the connection is closed',
    async (_shape, wrap) => {
      const connection = await openRaw(port())

      connection.send(`POST /device/preview HTTP/1.1\r\nHost: x\r\n${wrap(smuggled())}`)
      const answer = await connection.answer()
      const secondAnswer = await Promise.race([
        connection.answer().catch(() => 'none'),
        pause(waitTimeout).then(() => 'still open'),
      ])

      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(typeof secondAnswer === 'string' ? secondAnswer : secondAnswer.status).toBe('none')
    },
  )
})
