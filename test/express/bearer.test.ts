import type { BearerOptions, RequireMfaOptions } from 'second-factor'
import { createTestClock } from 'second-factor/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { bearerFrameworks, startBearerApp } from '../support/bearer-app.ts'
import type { BearerFramework } from '../support/bearer-app.ts'
import { inFullRun } from '../support/full-run.ts'
import { audience, startTokenIssuer } from '../support/token-issuer.ts'
import type { IssuerAnswer } from '../support/token-issuer.ts'

afterEach(() => vi.useRealTimers())

interface Arranged extends Partial<RequireMfaOptions> {
  readonly on?: BearerFramework
  readonly issuerPath?: string
  readonly options?: Partial<BearerOptions>
}

/** An API whose clock stands still, the issuer of its tokens, and what it logs. */
async function arrange({ on = 'Express 5', issuerPath, options, ...route }: Arranged = {}) {
  const clock = createTestClock()
  const issuer = await startTokenIssuer(clock, issuerPath)
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const logger = { info: log, warn: log, error: log }
  const bearer = { issuer: issuer.issuer, audience, clock, logger, ...options }
  const app = await startBearerApp(on, { bearer, acr: 'any', ...route })
  return { ...app, clock, issuer, lines, bearer }
}

const challengeOf = ({ headers }: { headers: ReadonlyMap<string, string> }) => headers.get('www-authenticate')

describe.each(bearerFrameworks)('requireMfa({ bearer }) on %s', (on) => {
  inFullRun(
    'requireMfa({ bearer }) passes a token of the issuer, and says in req.mfa.bearer what it contains',
    async () => {
      const { call, passed, issuer, clock } = await arrange({ on, acr: ['phr'], maxAge: 300 })

      const { status } = await call(await issuer.token())

      expect(status).toBe(200)
      expect(passed).toEqual([
        {
          subject: 'alice',
          scopes: ['read', 'write'],
          acr: 'phr',
          authTime: clock.now() - 10,
          claims: expect.objectContaining({ iss: issuer.issuer, client_id: 'spa' }),
        },
      ])
    },
  )

  inFullRun.each([
    ['no header', []],
    ['another scheme', ['Authorization: Basic YWxpY2U6c2VjcmV0']],
    ['a scheme for tokens that are bound to a key', ['Authorization: DPoP abc']],
    ['an empty header', ['Authorization:']],
  ])('requireMfa({ bearer }) answers %s with 401 and no error code (RFC 6750 section 3.1)', async (_, headers) => {
    const { get } = await arrange({ on })

    const answer = await get(headers)

    expect([answer.status, challengeOf(answer), answer.body]).toEqual([401, 'Bearer realm="https://api.example"', ''])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  inFullRun('requireMfa({ bearer }) answers an expired token with invalid_token (RFC 6750 section 3.1)', async () => {
    const { call, issuer, clock } = await arrange({ on })

    const answer = await call(await issuer.token({ exp: clock.now() - 61 }))

    expect(answer.status).toBe(401)
    expect(challengeOf(answer)).toBe('Bearer error="invalid_token", error_description="The access token has expired"')
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.body).toBe('{"error":"invalid_token","message":"The access token has expired"}')
  })

  inFullRun('requireMfa({ bearer }) asks for a stronger sign-in by a challenge (RFC 9470 section 3)', async () => {
    const { call, issuer } = await arrange({ on, acr: ['phrh', 'phr'], maxAge: 300 })

    const answer = await call(await issuer.token({ acr: 'pwd' }))

    expect(answer.status).toBe(401)
    expect(challengeOf(answer)).toBe(
      'Bearer error="insufficient_user_authentication", error_description="The user has to sign in with a stronger method", ' +
        'acr_values="phrh phr", max_age="300"',
    )
    expect(JSON.parse(answer.body)).toEqual({
      error: 'insufficient_user_authentication',
      message: 'The user has to sign in with a stronger method',
      acr_values: 'phrh phr',
      max_age: 300,
    })
  })

  inFullRun('requireMfa({ bearer }) asks for a more recent sign-in by a challenge (RFC 9470 section 3)', async () => {
    const { call, issuer, clock } = await arrange({ on, maxAge: 300 })

    const answer = await call(await issuer.token({ auth_time: clock.now() - 301 }))

    expect(answer.status).toBe(401)
    expect(challengeOf(answer)).toBe(
      'Bearer error="insufficient_user_authentication", error_description="The user has to sign in again", max_age="300"',
    )
  })

  it('requireMfa({ bearer }) answers 503 while the keys cannot be read, and passes nobody', async () => {
    const { call, issuer, passed } = await arrange({ on })
    const token = await issuer.token()
    issuer.answers.set('/keys', { status: 500, body: {} })

    const answer = await call(token)

    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(JSON.parse(answer.body)).toMatchObject({ error: 'temporarily_unavailable' })
    expect(passed).toEqual([])
  })

  it('requireMfa({ bearer }) rejects several Authorization headers, because a proxy may have checked another one', async () => {
    const { get, issuer, passed } = await arrange({ on })
    const line = `Authorization: Bearer ${await issuer.token()}`

    const answer = await get([line, 'authorization: Bearer other'])

    expect(answer.status).toBe(400)
    expect(challengeOf(answer)).toBe(
      'Bearer error="invalid_request", error_description="Send one Authorization header"',
    )
    expect(passed).toEqual([])
  })
})

describe('the header Authorization', () => {
  it('requireMfa({ bearer }) quotes a name of the API that would end the realm (RFC 9110 section 5.6.4)', async () => {
    const { get } = await arrange({ options: { audience: ['a "b" \\', 'c'] } })

    expect(challengeOf(await get())).toBe(String.raw`Bearer realm="a \"b\" \\"`)
  })

  inFullRun.each(['bearer', 'BEARER', 'Bearer  '])('requireMfa({ bearer }) reads the scheme "%s"', async (scheme) => {
    const { get, issuer } = await arrange()

    expect((await get([`Authorization: ${scheme} ${await issuer.token()}`])).status).toBe(200)
  })

  it.each(['Bearer', 'Bearer ', 'Bearer a b', 'Bearer "a"', 'Bearer a,b', 'Bearer =a', 'Bearer é'])(
    'requireMfa({ bearer }) answers the malformed header "%s" with invalid_request',
    async (header) => {
      const { get } = await arrange()

      const answer = await get([`Authorization: ${header}`])

      expect(answer.status).toBe(400)
      expect(challengeOf(answer)).toMatch(/^Bearer error="invalid_request", error_description="[ !#-[\]-~]+"$/)
    },
  )

  it('requireMfa({ bearer }) reads no token from the address or the body', async () => {
    const { get, issuer } = await arrange()
    const token = await issuer.token()
    const form = `access_token=${token}`

    const answers = [
      await get([], `/?access_token=${token}`),
      await get(['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${form.length}`, '', form]),
    ]

    expect(answers.map(({ status }) => status)).toEqual([401, 401])
  })

  it('requireMfa({ bearer }) verifies no token of more than 16,384 characters', async () => {
    const { call, issuer } = await arrange()

    const answer = await call(await issuer.token({ filler: 'x'.repeat(16_384) }))

    expect([answer.status, challengeOf(answer)]).toEqual([
      401,
      'Bearer error="invalid_token", error_description="The access token is too long"',
    ])
    expect(issuer.asked).toEqual([])
  })
})

describe('the authentication of a token', () => {
  it('requireMfa({ bearer, maxAge }) accepts a sign-in of exactly that age, and of a clock that is ahead by a minute', async () => {
    const { call, issuer, clock } = await arrange({ maxAge: 300 })

    const answers = [
      await call(await issuer.token({ auth_time: clock.now() - 300 })),
      await call(await issuer.token({ auth_time: clock.now() + 60 })),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })

  it('requireMfa({ bearer, maxAge }) rejects a sign-in that is too old', async () => {
    const { call, issuer, clock } = await arrange({ maxAge: 300 })

    expect((await call(await issuer.token({ auth_time: clock.now() - 301 }))).status).toBe(401)
  })

  it('requireMfa({ bearer, maxAge }) rejects a sign-in in the future, which would stay recent for too long', async () => {
    const { call, issuer, clock } = await arrange({ maxAge: 300 })

    expect((await call(await issuer.token({ auth_time: clock.now() + 61 }))).status).toBe(401)
  })

  it.each([undefined, null, '1700000000', [1], {}])(
    'requireMfa({ bearer, maxAge }) rejects a token whose auth_time is %s',
    async (authTime) => {
      const { call, issuer } = await arrange({ maxAge: 300 })

      const answer = await call(await issuer.token({ auth_time: authTime }))

      expect(challengeOf(answer)).toContain('error="insufficient_user_authentication"')
    },
  )

  it.each([undefined, null, 'pwd', 'PHR', 'phr phrh', ['phr'], ''])(
    'requireMfa({ bearer, acr }) rejects a token whose acr is %j',
    async (acr) => {
      const { call, issuer } = await arrange({ acr: ['phrh', 'phr'] })

      const answer = await call(await issuer.token({ acr }))

      expect(challengeOf(answer)).toContain('error="insufficient_user_authentication"')
    },
  )

  it('requireMfa({ bearer, acr }) accepts each of the classes', async () => {
    const { call, issuer } = await arrange({ acr: ['phrh', 'phr'] })

    const answers = [await call(await issuer.token({ acr: 'phr' })), await call(await issuer.token({ acr: 'phrh' }))]

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })

  it("requireMfa({ bearer, acr: 'any' }) needs neither acr nor auth_time", async () => {
    const { call, issuer, passed } = await arrange()

    await call(await issuer.token({ acr: undefined, auth_time: undefined, scope: undefined }))

    expect(passed).toMatchObject([{ subject: 'alice', acr: undefined, authTime: undefined, scopes: [] }])
  })
})

describe('the keys of an issuer', () => {
  it('the keys of an issuer are read once for many requests, and for all routes with the same options', async () => {
    const { bearer, issuer } = await arrange()
    const first = await startBearerApp('Express 5', { bearer, acr: 'any' })
    const second = await startBearerApp('Express 5', { bearer, acr: ['phr'], maxAge: 300 })

    for (const { call } of [first, first, second]) expect((await call(await issuer.token())).status).toBe(200)

    expect(issuer.asked).toEqual(['/.well-known/oauth-authorization-server', '/keys'])
  })

  it('the keys of an issuer are not those of another that the same object named before', async () => {
    const { bearer, issuer, clock } = await arrange()
    const changed = { ...bearer }
    const first = await startBearerApp('Express 5', { bearer: changed, acr: 'any' })
    const other = await startTokenIssuer(clock)
    expect((await first.call(await issuer.token())).status).toBe(200)

    changed.issuer = other.issuer
    const second = await startBearerApp('Express 5', { bearer: changed, acr: 'any' })

    expect((await second.call(await other.token())).status).toBe(200)
  })

  it('the keys of an issuer are read again for a key that is new, at most every 30 seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { call, issuer } = await arrange()
    await call(await issuer.token())
    await issuer.addKey('second')
    const token = await issuer.token({}, { kid: 'second' })

    expect((await call(token)).status).toBe(401)
    vi.setSystemTime(Date.now() + 30_000)

    expect((await call(token)).status).toBe(200)
    expect(issuer.asked.filter((path) => path === '/keys')).toHaveLength(2)
  })

  it('the keys of an issuer end ten minutes after it has withdrawn them', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { call, issuer } = await arrange()
    await issuer.addKey('second')
    const token = await issuer.token({}, { kid: 'second' })
    expect((await call(token)).status).toBe(200)

    issuer.removeKey('second')
    vi.setSystemTime(Date.now() + 600_000)

    expect((await call(token)).status).toBe(401)
  })

  it.each([
    ['OAuth', '', '/.well-known/oauth-authorization-server'],
    ['OAuth, at a path', '/tenant', '/.well-known/oauth-authorization-server/tenant'],
    ['OAuth, with a slash at the end', '/', '/.well-known/oauth-authorization-server'],
    ['OpenID Connect', '', '/.well-known/openid-configuration'],
    ['OpenID Connect, at a path', '/tenant', '/tenant/.well-known/openid-configuration'],
  ])('the keys of an issuer are found by the metadata of %s', async (_, issuerPath, address) => {
    const { call, issuer } = await arrange({ issuerPath })
    const [[path, metadata] = []] = [...issuer.answers].filter(([known]) => known.startsWith('/.well-known'))
    issuer.answers.delete(path ?? '')
    issuer.answers.set(address, metadata ?? 'hang')

    expect((await call(await issuer.token())).status).toBe(200)
  })

  it('the keys of an issuer are read at jwksUri without its metadata', async () => {
    const clock = createTestClock()
    const issuer = await startTokenIssuer(clock)
    const bearer = { issuer: issuer.issuer, audience, clock, jwksUri: `${issuer.issuer}/keys` }
    const { call } = await startBearerApp('Express 5', { bearer, acr: 'any' })

    expect((await call(await issuer.token())).status).toBe(200)
    expect(issuer.asked).toEqual(['/keys'])
  })

  const oauth = '/.well-known/oauth-authorization-server'
  const breaks: readonly [title: string, path: string, answer: (issuer: string) => IssuerAnswer, reason: string][] = [
    ['answer 500', '/keys', () => ({ status: 500, body: {} }), '/keys answered 500'],
    ['are redirected', '/keys', () => ({ status: 302, body: {} }), '/keys answered 302'],
    ['are no JSON', '/keys', () => ({ body: '<html>' }), 'is not valid JSON'],
    ['are no keys', '/keys', () => ({ body: { keys: 'none' } }), 'JSON Web Key Set malformed'],
    ['take too long', '/keys', () => 'hang', 'timeout'],
    ['have no metadata', oauth, () => ({ status: 404, body: {} }), 'no metadata that names its keys'],
    ['have incomplete metadata', oauth, (issuer) => ({ body: { issuer } }), 'lacks issuer or jwks_uri'],
    [
      'have the metadata of another issuer',
      oauth,
      (issuer) => ({ body: { issuer: `${issuer}/other`, jwks_uri: `${issuer}/keys` } }),
      'is the metadata of',
    ],
    [
      'are named over plain http',
      oauth,
      (issuer) => ({ body: { issuer, jwks_uri: 'http://keys.example/keys' } }),
      'jwks_uri is plain http (http://keys.example/keys)',
    ],
  ]
  it.each(breaks)('requireMfa({ bearer }) answers 503 where the keys %s', async (_, path, answer, reason) => {
    const { call, issuer, lines } = await arrange({ options: { timeout: 200 } })
    issuer.answers.set('/moved', issuer.answers.get('/keys') ?? 'hang')
    issuer.answers.set(path, answer(issuer.issuer))

    expect((await call(await issuer.token())).status).toBe(503)
    expect(lines).toEqual([
      expect.stringContaining(`requireMfa: the keys of ${issuer.issuer} cannot be read, so tokens get 503: `),
    ])
    expect(lines[0]).toContain(reason)
  })

  it('requireMfa({ bearer }) leaves an issuer alone for 5 seconds after a failure, and logs one line when it fails and one when it is back', async () => {
    const { call, issuer, lines, clock } = await arrange()
    issuer.answers.set('/keys', { status: 500, body: {} })
    const token = await issuer.token()

    for (let attempt = 0; attempt < 5; attempt += 1) expect((await call(token)).status).toBe(503)
    expect(issuer.asked.filter((path) => path === '/keys')).toHaveLength(1)
    issuer.publish()
    await clock.advance(5)

    expect((await call(token)).status).toBe(200)
    await clock.advance(5)
    expect(lines).toEqual([
      expect.stringContaining('cannot be read, so tokens get 503'),
      `requireMfa: the keys of ${issuer.issuer} can be read again after 5 s`,
    ])
  })

  it('requireMfa({ bearer }) goes on with the keys that it knows while a stranger asks for others', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { call, issuer } = await arrange()
    const token = await issuer.token()
    await call(token)
    issuer.answers.set('/keys', { status: 500, body: {} })
    vi.setSystemTime(Date.now() + 30_000)

    const answers = [await call(await issuer.token({}, { kid: 'unknown' })), await call(token)]

    expect(answers.map(({ status }) => status)).toEqual([503, 200])
  })
})
