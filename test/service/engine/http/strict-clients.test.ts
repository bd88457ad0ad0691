import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { exchange, openRaw } from '../../../support/raw-http.ts'
import type { RawAnswer } from '../../../support/raw-http.ts'
import { holder, unique } from '../../features/codes/code-holder.ts'
import { newUser, startService, v14 } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

/** Existing clients that cannot be changed, byte for byte as they send. */
let running: Running
let alice: Awaited<ReturnType<Running['enroll']>>

beforeAll(async () => {
  running = await startService()
})
// Each user can be asked only a few times in ten minutes, so tests create their own.
beforeEach(async () => {
  alice = await running.enroll(unique())
})
afterAll(() => running.close())

const port = () => Number(new URL(running.origin).port)
const key = () => running.apiKey
const send = (bytes: string, method?: string) => exchange(port(), bytes.replaceAll(/\r?\n/g, '\r\n'), method)
const code = (answer: RawAnswer) => JSON.parse(answer.body).errors[0].code

/** Sends a request; the body follows the empty line unchanged. */
type Dialect = (method: string, path: string, body?: string) => string

const python: Dialect = (method, path, body = '') =>
  `${method} /api${path} HTTP/1.1\r\n` +
  `Host: 127.0.0.1:${port()}\r\nUser-Agent: python-requests/2.9.1\r\nAccept-Encoding: gzip, deflate\r\nAccept: */*\r\n` +
  `Connection: keep-alive\r\nAuthorization: Service key="${key()}"\r\n` +
  `Content-Type: application/vnd.service.v1+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const java: Dialect = (method, path, body = '') =>
  `${method} /api${path} HTTP/1.1\r\nauthorization: service key="${key()}"\r\n` +
  `content-type: application/x-www-form-urlencoded\r\nUser-Agent: Java/1.8.0_292\r\nHost: 127.0.0.1:${port()}\r\n` +
  `Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2\r\nConnection: keep-alive\r\n` +
  `${body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`}\r\n${body}`

const php: Dialect = (method, path, body = '') =>
  `${method} /api${path} HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nACCEPT: application/vnd.service.v1+json\r\n` +
  `AUTHORIZATION: Service key="${key()}"\r\nCONTENT-TYPE: application/json; charset=utf-8\r\n` +
  `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.replaceAll('/', String.raw`\/`)}`

const c: Dialect = (method, path, body = '') =>
  `${method} /api${path} HTTP/1.0\r\nAuthorization: Service key="${key()}"\r\n` +
  `${body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`}\r\n${body}`

describe.each(Object.entries({ python, java, php, c }))('a client in %s', (_language, write) => {
  it('a strict client signs a user in: creates, reads and cancels sessions, and every success is 200', async () => {
    const sessions = `/domains/${running.domain.id}/sessions`

    const created = await send(
      write('POST', sessions, `{"attributes":[],"user":{"username":"${alice.user.username}"}}`),
    )
    const id = created.body.slice(7, 47)
    const read = await send(write('GET', `${sessions}/${id}`))
    const cancelled = await send(write('DELETE', `${sessions}/${id}`))
    const after = await send(write('GET', `${sessions}/${id}`))

    expect([created, read, cancelled, after].map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(created.body).toBe(`{"id":"${id}","state":"pending"}`)
    expect(read.body).toBe(created.body)
    expect([cancelled.headers.get('content-length'), cancelled.body]).toEqual(['0', ''])
    expect(after.body).toBe(`{"id":"${id}","state":"denied"}`)
  })

  inFullRun('a strict client adds and removes a user without a body, and never gets a 204', async () => {
    const { json: user } = await running.call('POST', '/users', { body: newUser(`member ${Math.random()}`) })
    const member = `/domains/${running.domain.id}/users/${user.id}`

    const answers = [
      await send(write('PUT', member)),
      await send(write('PUT', `${member}/token`)),
      await send(write('DELETE', `${member}/token`)),
      await send(write('DELETE', member)),
      await send(write('DELETE', `/users/${user.id}`)),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(answers[1]!.body).toMatch(/^\{"state":"pending","code":"[a-z2-9]{10}"\}$/)
  })

  inFullRun('a strict client gets the length and type of a response in its head, and never chunks', async () => {
    const answer = await send(write('GET', '/ping'))

    expect(answer.head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer.head).toContain('\r\nContent-Length: 15')
    expect(answer.head).toContain('\r\nContent-Type: application/vnd.service.v1+json')
    expect(answer.head).not.toMatch(/transfer-encoding|content-encoding|set-cookie/i)
    expect(answer.body).toBe('{"status":"OK"}')
  })

  inFullRun('a strict client gets the reason when it is rejected', async () => {
    const answer = await send(write('POST', `/domains/${running.domain.id}/sessions`, '{"user":{"id":null}}'))

    expect(answer.status).toBe(400)
    expect(code(answer)).toBe('api.error.invalid.user')
  })
})

describeInFullRun('the Authorization header', () => {
  it.each([
    ['as it should be', (value: string) => `Authorization: Service key="${value}"`],
    ['with the scheme in lower case', (value: string) => `Authorization: service key="${value}"`],
    ['with its name in upper case', (value: string) => `AUTHORIZATION: SERVICE KEY="${value}"`],
    ['with blanks around the equals sign', (value: string) => `Authorization: Service key = "${value}"`],
    ['with many blanks and tabs', (value: string) => `authorization:\t Service   key=\t"${value}"  `],
    ['without quotes', (value: string) => `Authorization:Service key=${value}`],
  ])('the Authorization header is accepted %s', async (_what, header) => {
    const answer = await send(`GET /api/ping HTTP/1.1\nHost: x\n${header(key())}\n\n`)

    expect(answer.status).toBe(200)
  })
})

describe('a request', () => {
  const plain = () => `Host: x\nAuthorization: Service key="${key()}"\n`
  const asking = () => `{"user":{"username":"${alice.user.username}"}}`
  const path = () => `/api/domains/${running.domain.id}/sessions`

  it('a request in HTTP/1.0 is answered, and its connection closed', async () => {
    const connection = await openRaw(port())

    connection.send(`GET /api/ping HTTP/1.0\r\nAuthorization: Service key="${key()}"\r\n\r\n`)
    const answer = await connection.answer()
    await connection.closed

    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
  })

  it('a request that asks to close the connection gets it closed', async () => {
    const connection = await openRaw(port())

    connection.send(`GET /api/ping HTTP/1.1\r\nConnection: close\r\n${plain().replaceAll('\n', '\r\n')}\r\n`)
    const answer = await connection.answer()
    await connection.closed

    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
  })

  inFullRun('a request with Expect: 100-continue gets 100 before it sends its body', async () => {
    const connection = await openRaw(port())
    const session = asking()
    const head = `POST ${path()} HTTP/1.1\nExpect: 100-continue\nContent-Length: ${session.length}\n${plain()}\n`

    connection.send(head.replaceAll('\n', '\r\n'))
    const first = await connection.answer()
    connection.send(session)
    const answer = await connection.answer()
    connection.end()

    expect(first.head).toBe('HTTP/1.1 100 Continue')
    expect(answer.status).toBe(200)
  })

  inFullRun('a request with an unknown expectation is answered nevertheless', async () => {
    const answer = await send(`GET /api/ping HTTP/1.1\nExpect: the-unexpected\n${plain()}\n`)

    expect(answer.status).toBe(200)
  })

  it('a request may send its body in chunks', async () => {
    const session = asking()
    const chunks = [session.slice(0, 5), session.slice(5)].map((part) => `${part.length.toString(16)}\n${part}\n`)

    const answer = await send(
      `POST ${path()} HTTP/1.1\nTransfer-Encoding: chunked\n${plain()}\n${chunks.join('')}0\n\n`,
    )

    expect(answer.status).toBe(200)
  })

  it('a request may arrive byte by byte', async () => {
    const connection = await openRaw(port())
    const session = asking()
    const bytes = `POST ${path()} HTTP/1.1\nContent-Length: ${session.length}\n${plain()}\n`.replaceAll('\n', '\r\n')

    for (const byte of bytes + session) connection.send(byte)
    const answer = await connection.answer()
    connection.end()

    expect(answer.status).toBe(200)
  })

  it('a request may contain the absolute URL, as for a proxy', async () => {
    const ping = await send(`GET http://mfa.example:8787/api/ping HTTP/1.1\n${plain()}\n`)
    const health = await send(`GET HTTP://mfa.example/healthz?x=http://y HTTP/1.1\n${plain()}\n`)
    const device = await send(`POST http://mfa.example/device/preview HTTP/1.1\n${plain()}\n`)
    const users = await send(`GET http://mfa.example/api/users HTTP/1.1\n${plain()}\n`)
    const root = await send(`GET http://mfa.example HTTP/1.1\n${plain()}\n`)

    expect([ping.status, health.status]).toEqual([200, 200])
    expect(code(device)).toBe('api.error.malformed')
    expect(users.headers.get('link')).toContain('</api/users?page=1>')
    expect(root.headers.get('content-type')).toContain('text/html')
  })

  inFullRun('a request may have a body that its operation does not read', async () => {
    const body = '{"this":"is not read"}'
    const { user } = await running.enroll('bodyless')

    const answers = await Promise.all(
      ['GET', 'PUT', 'DELETE'].map((method) =>
        send(
          `${method} /api/domains/${running.domain.id}/users/${user.id} HTTP/1.1\nContent-Length: ${body.length}\n${plain()}\n${body}`,
        ),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('a request may have a type without having a body', async () => {
    const answer = await send(
      `GET /api/ping HTTP/1.1\nContent-Type: application/vnd.service.v1+json\nContent-Length: 0\n${plain()}\n`,
    )

    expect(answer.status).toBe(200)
  })

  inFullRun.each([
    '',
    'Accept:\n',
    'Accept: */*\n',
    'Accept: application/*\n',
    'ACCEPT: APPLICATION/VND.SERVICE.V1+JSON\n',
  ])('a request uses version 1.3 with the header %j', async (accept) => {
    const answer = await send(`GET /api/ping HTTP/1.1\n${accept}${plain()}\n`)

    expect(answer.headers.get('content-type')).toBe('application/vnd.service.v1+json')
  })
})

describe('JSON from clients', () => {
  const sessions = () => `/domains/${running.domain.id}/sessions`
  const ask = (raw: string) => running.call('POST', sessions(), { raw, headers: { accept: '*/*' } })
  const user = () => `{"id":"${alice.user.id}"}`

  inFullRun.each([
    ['in any order', () => `{"otp":"","attributes":[{"value":"v","key":"k"}],"user":${user()}}`],
    ['with spaces and line breaks', () => `\r\n{ "user" :\t${user()} ,\n "attributes" : [ ] }\r\n`],
    ['with unknown members', () => `{"user":${user()},"device":"phone","callback":null}`],
    [
      'with null and empty strings for missing values',
      () => `{"user":${user()},"otp":null,"bypasscode":"","ipAddress":"","attributes":null}`,
    ],
    ['with escapes', () => `{"\\u0075ser":${user()},"attributes":[{"key":"\\u00e9","value":"\\ud83d\\ude00\\/"}]}`],
    ['in 1.3 with members that 1.4 added', () => `{"user":${user()},"numberMatching":"yes","challenge":1}`],
  ])('JSON from clients is accepted %s', async (_what, raw) => {
    const answer = await ask(raw())

    expect([answer.status, answer.json]).toEqual([200, { id: expect.any(String), state: 'pending' }])
  })

  inFullRun.each([
    ['1.3', '*/*', 200],
    ['1.4', v14, 400],
  ])(
    'JSON from clients may be ISO-8859-1 in version 1.3 only, with a log message: %s',
    async (_version, accept, status) => {
      const raw = Buffer.from(`{"username":"${unique()}","name":"Jürgen Groß","email":"j@example.com"}`, 'latin1')

      const answer = await running.call('POST', '/users', { raw, headers: { accept } })

      expect([answer.status, answer.json.name]).toEqual([status, status === 200 ? 'Jürgen Groß' : undefined])
      expect(running.logged.some(({ message }) => message.includes('read as ISO-8859-1'))).toBe(true)
    },
  )

  inFullRun.each([6, 7, 8] as const)(
    'JSON from clients may hold a one-time password as a number if no digit is lost: %i digits',
    async (digits) => {
      const { token, id } = await holder(running, { algorithm: 'SHA1', digits, period: 30 })
      while (token.code().startsWith('0')) await running.clock.advance(30)

      const whole = await ask(`{"user":{"id":"${id}"},"otp":${token.code()}}`)
      const cut = await ask(`{"user":{"id":"${id}"},"otp":12345}`)

      expect([whole.status, whole.json.state]).toEqual([200, 'approved'])
      expect([cut.status, cut.code]).toEqual([400, 'api.error.invalid.otp'])
      expect(cut.json.errors[0].message).toBe('otp: must be a string: a number has no leading zeros')
    },
  )

  inFullRun.each([
    ['{"user":{"id":null}}'],
    ['{"user":{"username":null}}'],
    ['{"user":{}}'],
    ['{"user":null}'],
    ['{"user":[]}'],
    ['{"user":"alice"}'],
    ['{"user":{"id":1}}'],
    ['{"user":{"id":""}}'],
    [`{"user":{"id":"${'0'.repeat(40)}","username":"alice"}}`],
    ['{}'],
  ])('a session request is rejected when its JSON names no user: %s', async (raw) => {
    const answer = await ask(raw)

    expect([answer.status, answer.code]).toEqual([400, 'api.error.invalid.user'])
  })

  it('a sign-in with a bypass code and a one-time password is settled by the bypass code', async () => {
    const raw = `{"user":${user()},"otp":"123456","bypasscode":"123456789"}`

    const answer = await running.call('POST', sessions(), { raw })

    expect(answer.json).toMatchObject({ state: 'denied', factor: 'bypass' })
  })

  inFullRun('the service keeps usernames literal, even if they look percent-encoded', async () => {
    const plain = 'a b+c'
    const encoded = 'a%20b%2Bc'
    await running.call('POST', '/users', { body: newUser(plain) })
    await running.call('POST', '/users', { body: newUser(encoded) })

    const usernames = await Promise.all(
      ['a%20b+c', 'a%20b%2Bc', 'a%2520b%252Bc', 'a+b+c'].map(
        async (query) => (await running.call('GET', `/users?page=1&username=${query}`)).json.username,
      ),
    )

    expect(usernames).toEqual([plain, plain, encoded, undefined])
  })
})

describe('a URL from clients', () => {
  inFullRun.each(['?page=', '?page=1', '?page=1&', '?&page=1', '?page=1&page=2', '?page=1&other=2', '?'])(
    'a URL from clients means the first page: %j',
    async (query) => {
      const answer = await running.call('GET', `/users${query}`)

      expect(answer.status).toBe(200)
      expect(answer.json.length).toBeGreaterThan(0)
    },
  )

  it('an invalid URL from clients gets an error in the common format', async () => {
    const answer = await send(
      `GET /api/users?username=a b HTTP/1.1\nHost: x\nAuthorization: Service key="${key()}"\n\n`,
    )

    expect([answer.status, code(answer)]).toEqual([400, 'api.error.malformed'])
  })
})

describeInFullRun('a service and a client with another vendor', () => {
  it('a service and a client with another vendor use the name of the vendor in requests and responses', async () => {
    const { createClient } = await import('../../../../src/client/index.ts')
    const vendor = { scheme: 'Acme-MFA', mediaType: 'acme' }
    const other = await startService({ vendor })
    const client = createClient({ baseUrl: `${other.origin}/api`, apiKey: other.apiKey, vendor })
    const foreign = createClient({ baseUrl: `${other.origin}/api`, apiKey: other.apiKey })

    const version = await client.version()
    const organization = await client.organization.get()
    const refusal = await foreign.organization.get().catch((error: unknown) => error)
    await other.close()

    expect(version).toBe('1.4')
    expect(organization).toEqual({ name: other.organization.name })
    expect(refusal).toMatchObject({ code: expect.stringMatching(/unauthorized|notacceptable/) })
  })
})

describe('a body that is compressed', () => {
  const post = (encoding: string, body: Buffer<ArrayBuffer>) =>
    fetch(`${running.origin}/api/domains/${running.domain.id}/sessions`, {
      method: 'POST',
      headers: { authorization: `Service key="${key()}"`, 'content-encoding': encoding },
      body,
    })
  const session = () => Buffer.from(JSON.stringify({ user: { username: alice.user.username } }))

  inFullRun.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: Buffer) => Buffer.from(bytes)],
  ])('a request may compress its body: %s', async (encoding, compress) => {
    const answer = await post(encoding, Buffer.from(compress(session())))

    expect([answer.status, await answer.json()]).toMatchObject([200, { id: expect.any(String) }])
  })

  inFullRun.each(['compress', 'gzip, gzip', '__proto__', 'constructor'])(
    'a request whose body is compressed otherwise is refused, and says how it may be: %s',
    async (encoding) => {
      const answer = await post(encoding, gzipSync(session()))

      expect(answer.status).toBe(415)
      expect(await answer.text()).toContain('expected gzip, deflate, br or none')
    },
  )

  it('a body that is no gzip, and one that ends early, are refused', async () => {
    const answers = [await post('gzip', session()), await post('gzip', gzipSync(session()).subarray(0, -9))]

    expect(answers.map(({ status }) => status)).toEqual([400, 400])
    for (const answer of answers) expect(await answer.text()).toContain('The body could not be decompressed.')
  })

  it('a small body that decompresses to a large one is refused, and the connection goes on', async () => {
    const answer = await post('gzip', gzipSync(Buffer.alloc(50_000_000, ' ')))

    expect(answer.status).toBe(413)
    expect((await post('gzip', gzipSync(session()))).status).toBe(200)
  })

  inFullRun('a caller that goes away after its compressed body was refused ends nothing', async () => {
    const connection = await openRaw(port())
    const bomb = gzipSync(Buffer.alloc(1_000_000, ' '))
    connection.send(
      'POST /device/preview HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 100000\r\n\r\n',
    )
    connection.send(bomb)
    const answer = await connection.answer()
    connection.end()

    expect(answer.status).toBe(413)
    expect((await post('gzip', gzipSync(session()))).status).toBe(200)
  })

  inFullRun('a compressed body with bytes after its end is refused, and the connection goes on', async () => {
    const answer = await post('gzip', Buffer.concat([gzipSync(session()), Buffer.alloc(50_000, 'x')]))

    expect(answer.status).toBe(400)
    expect((await post('gzip', gzipSync(session()))).status).toBe(200)
  })

  inFullRun('a caller that goes away within a compressed body leaves nothing behind', async () => {
    const path = `/api/domains/${running.domain.id}/sessions`
    const connection = await openRaw(port())
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Service key="${key()}"\r\nContent-Encoding: gzip\r\n`
    connection.send(`${head}Content-Length: 500\r\n\r\n`)
    connection.send(gzipSync(session()).subarray(0, 12).toString('latin1'))
    connection.end()

    expect((await post('gzip', gzipSync(session()))).status).toBe(200)
  })
})
