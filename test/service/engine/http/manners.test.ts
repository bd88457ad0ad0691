import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { listen } from '../../../../src/service/engine/http/listen.ts'
import { createService } from '../../../../src/service/index.ts'
import { systemRandom } from '../../../../src/service/engine/base/random.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { exchange, openRaw } from '../../../support/raw-http.ts'
import { newUser, read, startService, unknownId } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const token = 'a token of some length'.replaceAll(' ', '-')

let running: Running

beforeAll(async () => {
  running = await startService({ metrics: { token }, logRequests: true })
})
afterAll(() => running.close())

const v13 = { accept: 'application/vnd.service.v1+json' }
const port = () => Number(new URL(running.origin).port)
const get = (path: string, init: RequestInit = {}) => fetch(running.origin + path, init)

describe('OPTIONS', () => {
  it('OPTIONS lists the methods of a path, given the key, and allows no other site', async () => {
    const answer = await running.call('OPTIONS', '/users', {
      headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' },
    })

    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(answer.headers.get('allow')).toBe('POST, GET, HEAD, OPTIONS')
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('OPTIONS is rejected without the key, and is 404 for unknown paths', async () => {
    const stranger = await get('/api/users', { method: 'OPTIONS' })
    const nowhere = await running.call('OPTIONS', '/unknown')

    expect(stranger.status).toBe(401)
    expect(nowhere.code).toBe('api.error.notfound.operation')
  })

  it('OPTIONS is answered on device paths, too, and allows no other site', async () => {
    const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' }

    const preflight = await get('/device/preview', { method: 'OPTIONS', headers })
    const wrong = await get('/device/preview', { method: 'PUT' })

    expect([preflight.status, wrong.status]).toEqual([200, 405])
    expect([preflight, wrong].map((answer) => answer.headers.get('allow'))).toEqual(['POST, OPTIONS', 'POST, OPTIONS'])
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('OPTIONS does not show callers of 1.3 the additions of 1.4', async () => {
    const path = `/domains/${running.domain.id}/sessions/${unknownId}/redeem`

    const old = await running.call('OPTIONS', path, { headers: v13 })
    const current = await running.call('OPTIONS', path)

    expect(old.status).toBe(404)
    expect(current.headers.get('allow')).toBe('POST, OPTIONS')
  })
})

describe('HEAD', () => {
  it.each(['/ping', '/organization', '/users', `/users/${unknownId}`])(
    'HEAD to %s responds as GET does, without content',
    async (path) => {
      const whole = await running.call('GET', path)
      const head = await running.call('HEAD', path)

      expect([head.status, head.text]).toEqual([whole.status, ''])
      for (const name of ['content-type', 'content-length', 'link']) {
        expect(head.headers.get(name)).toBe(whole.headers.get(name))
      }
    },
  )

  it('HEAD is not allowed on paths without GET', async () => {
    const answer = await running.call('HEAD', `/domains/${running.domain.id}/sessions`)

    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS')
  })
})

describe('the id of a request', () => {
  it('the id of a request is the one that the caller sent', async () => {
    const answer = await running.call('GET', '/ping', { headers: { 'x-request-id': 'f00/bar:1.2-3_4' } })

    expect(answer.headers.get('x-request-id')).toBe('f00/bar:1.2-3_4')
    expect(running.logged).toContainEqual({
      message: 'request',
      details: { requestId: 'f00/bar:1.2-3_4', operation: 'ping', status: 200, seconds: expect.any(Number) },
    })
  })

  it.each([['two words'], ['"quoted"'], ['x'.repeat(65)], ['Zq9'.repeat(21) + 'x'], ['{"a":1}'], ['<b>']])(
    'the id of a request is replaced when it is not fit for a log: %s',
    async (requestId) => {
      const answer = await running.call('GET', '/ping', { headers: { 'x-request-id': requestId } })

      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    },
  )

  it('the id of a request is on every response, and different each time', async () => {
    const answers = await Promise.all([
      get('/api/ping'),
      get('/device/preview', { method: 'POST', body: '{}' }),
      get('/healthz'),
      get('/nowhere'),
    ])

    expect(new Set(answers.map((answer) => answer.headers.get('x-request-id'))).size).toBe(answers.length)
  })

  inFullRun('the id of a request is logged with each error', async () => {
    let broken = false
    const other = await startService({
      random(size) {
        if (broken) throw new Error('broken')
        return systemRandom(size)
      },
    })

    broken = true
    await other.call('POST', '/users', { body: newUser('x'), headers: { 'x-request-id': 'find-me' } })
    await other.close()

    expect(other.logged).toContainEqual(
      expect.objectContaining({
        message: 'request failed',
        details: expect.objectContaining({ requestId: 'find-me' }),
      }),
    )
  })
})

describe('the log of requests', () => {
  it('the log of requests names operations, and never the content of paths, queries and bodies', async () => {
    await running.call('GET', '/users?username=private-name')
    await running.call('POST', '/users', { body: newUser('private-name') })

    const lines = JSON.stringify(running.logged)

    expect(lines).toContain('"findUsers"')
    expect(lines).not.toContain('private-name')
    expect(lines).not.toContain(running.apiKey)
  })
})

describe('a body', () => {
  const padded = (username: string, length: number) => {
    const text = JSON.stringify(newUser(username))
    return text + ' '.repeat(length - text.length)
  }

  it('a request body may have 1 MiB, but not one byte more', async () => {
    const limit = 1024 * 1024

    const edge = await running.call('POST', '/users', { raw: padded('edge', limit) })
    const beyond = await running.call('POST', '/users', { raw: padded('beyond', limit + 1) })

    expect(edge.status).toBe(200)
    expect([beyond.status, beyond.code]).toEqual([413, 'api.error.toolarge'])
  })

  it('a request body that is not read does not disturb the next request on its connection', async () => {
    const connection = await openRaw(port())
    const body = 'x'.repeat(200_000)

    connection.send(`POST /api/users HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    connection.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    const answers = [await connection.answer(), await connection.answer()]
    connection.end()

    expect(answers.map((answer) => answer.status)).toEqual([401, 200])
  })
})

describe('a malformed request', () => {
  it.each([
    ['a letter', 'Dear Sir or Madam,\r\n\r\n', 400],
    ['no version', 'DELETE /api/users\r\n\r\n', 400],
    ['an unknown version', 'GET /api/ping HTTP/7.7\r\nHost: x\r\n\r\n', 400],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx', 400],
    [
      'a length beside chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a head of 20 kB', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 413],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
  ])(
    'a malformed request gets an error in the common format, and its connection is closed: %s',
    async (_what, bytes, status) => {
      const connection = await openRaw(port())

      connection.send(bytes)
      const answer = await connection.answer()
      await connection.closed

      expect(answer.status).toBe(status)
      expect(JSON.parse(answer.body)).toEqual({
        errors: [{ code: expect.stringMatching(/^api\.error\./), message: expect.any(String) }],
      })
    },
  )

  it.each([
    '*',
    '/nothing',
    '//',
    '/api',
    '/API/ping',
    '/api/ping/',
    'http://x/nothing',
    '/device',
    '/authenticatorx',
    '/%',
  ])('a request to an unknown path gets an error in the common format: %s', async (target) => {
    const answer = await exchange(port(), `OPTIONS ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)

    expect([400, 401, 404, 405]).toContain(answer.status)
    expect(JSON.parse(answer.body).errors[0].code).toMatch(/^api\.error\./)
  })
})

describe('/healthz and /readyz', () => {
  it('/healthz and /readyz need no key, and report that the service is healthy', async () => {
    const answers = await Promise.all(['/healthz', '/readyz'].map(async (path) => read(await get(path))))

    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [200, '{"status":"ok"}'],
      [200, '{"status":"ok"}'],
    ])
  })

  it('/healthz and /readyz support GET, HEAD and OPTIONS', async () => {
    const head = await get('/healthz', { method: 'HEAD' })
    const options = await get('/healthz', { method: 'OPTIONS' })
    const post = await get('/healthz', { method: 'POST' })

    expect([head.status, options.status, post.status]).toEqual([200, 200, 405])
    expect([options, post].map((answer) => answer.headers.get('allow'))).toEqual(
      Array.from({ length: 2 }, () => 'GET, HEAD, OPTIONS'),
    )
  })

  it('/healthz and /readyz distinguish a process that is up from one that can serve', async () => {
    const service = await createService({ database: ':memory:' })
    const door = await listen(service.listener, { host: '127.0.0.1', port: 0 })

    await service.close()
    const health = await fetch(`http://127.0.0.1:${door.port}/healthz`)
    const ready = await fetch(`http://127.0.0.1:${door.port}/readyz`)
    await door.close()

    expect([health.status, ready.status]).toEqual([200, 503])
    expect(ready.headers.get('retry-after')).toBe('1')
    expect((await read(ready)).code).toBe('api.error.unavailable')
  })
})

describe('/metrics', () => {
  const metrics = async () => (await get('/metrics', { headers: { authorization: `Bearer ${token}` } })).text()

  it.each([undefined, 'Bearer', 'Bearer x', `Bearer ${token}x`, `Basic ${token}`])(
    '/metrics requires the token, and rejects %s',
    async (authorization) => {
      const answer = await get('/metrics', { headers: authorization === undefined ? {} : { authorization } })

      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    },
  )

  it('/metrics blocks an address that guesses its token too often', async () => {
    const strict = await startService({ metrics: { token }, limits: { requestsPerSecond: 3 } })
    const guess = () => fetch(`${strict.origin}/metrics`, { headers: { authorization: `Bearer ${token}x` } })

    const guesses = [await guess(), await guess(), await guess(), await guess()]
    const right = await fetch(`${strict.origin}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    await strict.close()

    expect(guesses.map(({ status }) => status)).toEqual([401, 401, 401, 429])
    expect(right.status).toBe(200)
  })

  inFullRun('/metrics counts locks, sweeps and clock jumps', async () => {
    const clock = createTestClock()
    let wrongBy = 0
    const machine = { ...clock, now: () => clock.now() + wrongBy }
    const watched = await startService({ clock: machine, metrics: { token } })
    const { user, call, domain } = { ...watched, ...(await watched.enroll('locked')) }
    const guess = { user: { username: user.username }, otp: '000000' }
    for (let tries = 0; tries < 11; tries += 1) await call('POST', `/domains/${domain.id}/sessions`, { body: guess })
    const figures = async () =>
      (await fetch(`${watched.origin}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()

    await clock.advance(5 * 60)
    await expect.poll(figures).toContain('second_factor_sweep_duration_seconds_count{outcome="done"} 1')
    const before = await figures()
    wrongBy = 90 * 24 * 60 * 60
    await clock.advance(5 * 60)
    await expect.poll(figures).toContain('second_factor_sweep_duration_seconds_count{outcome="done"} 2')
    const after = await figures()
    await watched.close()

    expect(before).toContain('second_factor_locks_total{what="codes"} 1')
    expect(before).toContain('second_factor_clock_leaps_total 0')
    expect(after).toContain('second_factor_clock_leaps_total 1')
  })

  it('/metrics counts requests by operation and status, and how long they took', async () => {
    await running.call('GET', '/organization')
    await get('/api/organization')

    const text = await metrics()

    expect(text).toMatch(/second_factor_request_duration_seconds_count\{operation="getOrganization",status="200"\} \d/)
    expect(text).toMatch(/second_factor_request_duration_seconds_count\{operation="getOrganization",status="401"\} \d/)
    expect(text).toContain('nodejs_eventloop_lag_seconds')
  })

  inFullRun('/metrics reports the number of pending sessions and of held responses', async () => {
    const { ask, held, sessions } = await running.enroll('measured')
    const { id } = await ask()
    const waiting = running.clock.timerSet(30)
    const answer = held(id, 30)
    await waiting

    const during = await metrics()
    await running.call('DELETE', `${sessions}/${id}`)
    await answer
    const after = await metrics()

    expect(during).toContain('second_factor_sessions_pending 1')
    expect(during).toContain('second_factor_held_reads{kind="session"} 1')
    expect(after).toContain('second_factor_sessions_pending 0')
    expect(after).not.toContain('second_factor_held_reads{kind="session"} 1')
  })

  inFullRun('/metrics reports how sessions were settled', async () => {
    const { ask, sessions, device, pending } = await running.enroll('settling')
    const cancelled = await ask()
    await running.call('DELETE', `${sessions}/${cancelled.id}`)
    await ask()
    const [request] = await pending()
    await device.answer(request!.id, { nonce: request!.nonce, decision: 'approve' })
    await ask({ otp: '000000' })

    const text = await metrics()

    for (const [outcome, factor] of [
      ['cancelled', 'push'],
      ['approved', 'push'],
      ['wrong_code', 'otp'],
    ]) {
      const labels = `outcome="${outcome}",factor="${factor}"`
      expect(text).toMatch(new RegExp(`second_factor_sessions_settled_total\\{${labels}\\} [1-9]`))
    }
  })

  inFullRun('/metrics counts the sessions refused after too many tries, by budget', async () => {
    const { ask } = await running.enroll('refused')
    for (let tries = 0; tries < 11; tries += 1) await ask({ otp: '000000' })
    for (let tries = 0; tries < 4; tries += 1) await ask()

    const text = await metrics()

    expect(text).toMatch(/second_factor_sessions_refused_total\{way="code",browser="other"\} [1-9]/)
    expect(text).toMatch(/second_factor_sessions_refused_total\{way="push",browser="other"\} [1-9]/)
  })

  inFullRun('/metrics is not served unless configured, and is on its own port without a token', async () => {
    const plain = await startService()
    const own = await createService({ database: ':memory:', metrics: {} })
    const doors = [
      await listen(own.listener, { host: '127.0.0.1', port: 0 }),
      await listen(own.metrics!, { host: '127.0.0.1', port: 0 }),
    ]

    const statuses = await Promise.all(
      [plain.origin, ...doors.map((door) => `http://127.0.0.1:${door.port}`)].map(
        async (origin) => (await fetch(`${origin}/metrics`)).status,
      ),
    )
    await Promise.all([plain.close(), ...doors.map((door) => door.close()), own.close()])

    expect(plain.service.metrics).toBeUndefined()
    expect(statuses).toEqual([404, 404, 200])
  })
})

describeInFullRun('the reference page', () => {
  it('the reference page needs no key, runs only its own script and loads nothing', async () => {
    const answer = await get('/docs')
    const html = await answer.text()

    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+';/,
    )
    expect(html).not.toMatch(/<script [^>]*src|<link|<img|@import|url\(|https?:(?!\/\/(mfa|app)\.example)/)
  })

  it('the reference page has each operation and each error code', async () => {
    const html = await (await get('/docs')).text()
    const document = await (await get('/api/openapi.json')).json()

    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    )
    expect(ids).toEqual(expect.arrayContaining([...operations, 'api.error.locked']))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('the reference page does not reflect what its address contains', async () => {
    const html = await (await get('/docs?%3Cscript%3E')).text()

    expect(html).toBe(await (await get('/docs')).text())
  })
})
