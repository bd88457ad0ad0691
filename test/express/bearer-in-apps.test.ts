import cookie from '@fastify/cookie'
import session from '@fastify/session'
import type express from 'express'
import createFastify from 'fastify'
import { graphql, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql'
import { InsufficientAuthenticationError, requireMfa, verifiedBearer } from 'second-factor'
import type { BearerOptions, MfaOptions, RequireMfaOptions } from 'second-factor'
import * as onFastify from 'second-factor/fastify'
import { createTestClock, startTestIssuer, startTestService } from 'second-factor/testing'
import request from 'supertest'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { SetupError } from '../../src/service-handle.ts'
import { bearerFrameworks, startBearerApp } from '../support/bearer-app.ts'
import { startWebApp } from '../support/web-app.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'

afterEach(() => vi.unstubAllEnvs())

const audience = 'https://api.example'

async function startIssuer(): Promise<{ bearer: BearerOptions; token: (claims?: object) => Promise<string> }> {
  const clock = createTestClock()
  const issuer = await startTestIssuer({ clock })
  onTestFinished(() => issuer.close())
  const token = (claims: object = {}) => issuer.token({ aud: audience, acr: 'phr', ...claims })
  return { bearer: { issuer: issuer.issuer, audience, clock }, token }
}

describe('requireMfa({ bearer }) beside mfa()', () => {
  /** An API behind `mfa()`, a user with a web session, and what `mfa()` warns of. */
  async function arrange(options: Partial<MfaOptions> = {}) {
    const { bearer, token } = await startIssuer()
    const warnings: string[] = []
    const app = await startWebApp({
      mfa: {
        public: ['/api/*'],
        logger: { info() {}, error() {}, warn: (line) => void warnings.push(line) },
        ...options,
      },
      routes(routes) {
        routes.get('/api/orders', requireMfa({ bearer, acr: ['phr'] }), (req, res) => void res.json(req.mfa))
      },
    })
    return { app, browser: app.browser(), token, warnings }
  }

  it('requireMfa({ bearer }) never falls back from a token to a verified web session', async () => {
    const { app, browser, token } = await arrange()
    await app.verify(browser, 'alice')
    const authorization = `Bearer ${await token({ exp: 1 })}`

    const answers = [
      await browser.open('/danger'),
      await browser.open('/api/orders'),
      await browser.open('/api/orders', { authorization }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401])
  })

  it('requireMfa() never takes an access token for a web session', async () => {
    const { app, token } = await arrange()

    const { status } = await request(app.url)
      .get('/danger')
      .set('Authorization', `Bearer ${await token()}`)

    expect(status).toBe(401)
  })

  it('an emergency and the option required open no route of requireMfa({ bearer })', async () => {
    vi.stubEnv('MFA_EMERGENCY_OFF_UNTIL', new Date(Date.now() + 3_600_000).toISOString())
    const { app, browser, token } = await arrange({ required: () => 'never' })
    vi.unstubAllEnvs()
    await app.signIn(browser, 'alice')

    const answers = [
      await browser.open('/danger'),
      await browser.open('/api/orders'),
      await browser.open('/api/orders', { authorization: `Bearer ${await token({ acr: 'pwd' })}` }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401])
  })

  inFullRun(
    'requireMfa({ bearer }) guards an API behind the gate, so mfa() does not warn about its tokens',
    async () => {
      const { app, token, warnings } = await arrange({ public: [] })

      const { status } = await request(app.url)
        .get('/api/orders')
        .set('Authorization', `Bearer ${await token()}`)

      expect(status).toBe(200)
      expect(warnings.filter((line) => line.includes('bearer token'))).toEqual([])
    },
  )

  inFullRun('the plugin for Fastify and requireMfa({ bearer }) share request.mfa', async () => {
    const { bearer, token } = await startIssuer()
    const service = await startTestService()
    const app = createFastify()
    onTestFinished(async () => {
      await app.close()
      await service.close()
    })
    await app.register(cookie)
    await app.register(session, { secret: 'a secret of at least 32 characters' })
    await app.register(onFastify.mfa, { service, clock: service.clock, user: () => undefined })
    app.get('/', { onRequest: onFastify.requireMfa({ bearer, acr: ['phr'] }) }, ({ mfa }) => ({
      subject: mfa?.bearer?.subject,
      verified: mfa?.verified ?? null,
    }))

    const headers = { authorization: `Bearer ${await token()}` }

    expect((await app.inject({ url: '/', headers })).json()).toEqual({ subject: 'alice', verified: null })
    expect((await app.inject({ url: '/' })).statusCode).toBe(401)
  })
})

describe('req.mfa without mfa()', () => {
  it('req.mfa without mfa() has the token alone, and says so where a handler asks for more', async () => {
    const { bearer, token } = await startIssuer()
    const reasons: string[] = []
    const { call } = await startBearerApp('Express 5', { bearer, acr: 'any' })
    const app = await startWebApp({
      before: [
        requireMfa({ bearer, acr: 'any' }),
        async (req, res) => {
          await req.mfa?.challenge().catch((error: Error) => void reasons.push(error.message))
          res.json([req.mfa?.verified ?? null, req.mfa?.approval ?? null, req.mfa?.bearer?.subject])
        },
      ],
    })

    const { body } = await request(app.url)
      .get('/')
      .set('Authorization', `Bearer ${await token()}`)

    expect(body).toEqual([null, null, 'alice'])
    expect(reasons).toEqual(['req.mfa: behind requireMfa({ bearer }) alone, only req.mfa.bearer is set'])
    expect(JSON.parse((await call(await token())).body)).toEqual({ remembered: false })
  })
})

describeInFullRun.each(bearerFrameworks)('verifiedBearer() on %s', (on) => {
  it('verifiedBearer() returns the token of the request, and asks for more where a handler needs more', async () => {
    const { bearer, token } = await startIssuer()
    const { call } = await startBearerApp(on, { bearer, acr: 'any' }, (verified) => ({
      subject: verified().subject,
      again: verified({ maxAge: 300, acr: ['phrh', 'phr'] }).acr,
    }))
    const now = bearer.clock!.now()

    const good = await call(await token(), '/in-handler')
    const weak = await call(await token({ acr: 'pwd' }), '/in-handler')
    const old = await call(await token({ auth_time: now - 301 }), '/in-handler')

    expect([good.status, JSON.parse(good.body)]).toEqual([200, { subject: 'alice', again: 'phr' }])
    expect([weak.status, old.status]).toEqual([401, 401])
    expect(weak.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", error_description="The user has to sign in with a stronger method", ' +
        'acr_values="phrh phr", max_age="300"',
    )
    expect(old.headers.get('www-authenticate')).toContain('"The user has to sign in again"')
  })
})

describe('verifiedBearer()', () => {
  it('verifiedBearer() throws where the route lacks requireMfa({ bearer }), whatever the request brings', async () => {
    const { token } = await startIssuer()
    const req = { headers: { authorization: `Bearer ${await token()}` }, socket: {} }

    expect(() => verifiedBearer(req as never)).toThrow('verifiedBearer() needs requireMfa({ bearer }) before it')
  })

  it('verifiedBearer() rejects options that it does not know, and milliseconds', () => {
    expect(() => verifiedBearer({} as never, { acrs: [] } as never)).toThrow('did you mean "acr"?')
    expect(() => verifiedBearer({} as never, { acr: [] })).toThrow('acr: must have 1 entry or more')
    expect(() => verifiedBearer({} as never, { maxAge: 300_000 })).toThrow(RangeError)
  })

  it('verifiedBearer() tells a GraphQL API what to ask of the issuer, for each field', async () => {
    const { bearer, token } = await startIssuer()
    const field = (resolve: (req: express.Request) => string) => ({
      type: GraphQLString,
      resolve: (_: unknown, _args: unknown, req: express.Request) => resolve(req),
    })
    const query = new GraphQLObjectType<unknown, express.Request>({
      name: 'Query',
      fields: {
        me: field((req) => verifiedBearer(req).subject),
        pay: field((req) => verifiedBearer(req, { acr: ['phr'], maxAge: 60 }).subject),
      },
    })
    const app = await startWebApp({
      before: [
        requireMfa({ bearer, acr: 'any' }),
        async (req, res) =>
          void res.json(
            await graphql({ schema: new GraphQLSchema({ query }), source: '{ me pay }', contextValue: req }),
          ),
      ],
    })

    const { body } = await request(app.url)
      .get('/')
      .set('Authorization', `Bearer ${await token({ acr: 'pwd' })}`)

    expect(body.data).toEqual({ me: 'alice', pay: null })
    expect(body.errors[0].extensions).toEqual({
      code: 'INSUFFICIENT_USER_AUTHENTICATION',
      acr_values: 'phr',
      max_age: 60,
    })
    expect(new InsufficientAuthenticationError({ status: 401, header: 'Bearer' }, {}).body).toEqual({})
  })
})

describe('the options of requireMfa({ bearer })', () => {
  const bearer = { issuer: 'https://login.example', audience }
  const cases: readonly [title: string, options: object, message: string][] = [
    ['without acr', { bearer }, "such as acr: ['phr']"],
    ['with acr and without bearer', { acr: ['phr'] }, 'write bearer: { issuer, audience } beside it'],
    ['with factors', { bearer, acr: ['phr'], factors: ['push'] }, 'factors is about web sessions'],
    ['with a purpose', { bearer, acr: ['phr'], purpose: 'pay' }, 'purpose is about web sessions'],
    ['with phishingResistant', { bearer, acr: ['phr'], phishingResistant: 'require' }, "write acr: ['…'] in its place"],
    ['with unknownBrowser', { bearer, acr: ['phr'], unknownBrowser: 'deny' }, "write acr: ['…'] in its place"],
    ['with a class that contains a space', { bearer, acr: ['phr phrh'] }, 'must be a class such as phr'],
    ['with a class that ends the challenge', { bearer, acr: ['phr", max_age="9'] }, 'must be a class such as phr'],
    ['with no class', { bearer, acr: [] }, 'acr'],
    ['without audience', { bearer: { issuer: bearer.issuer }, acr: ['phr'] }, 'bearer.audience: is missing'],
    ['with no audience', { bearer: { ...bearer, audience: [] }, acr: ['phr'] }, 'bearer.audience'],
    ['with a misspelled option', { bearer: { ...bearer, jwkUri: 'https://x.example' }, acr: ['phr'] }, '"jwksUri"?'],
    ['with an issuer that is no address', { bearer: { ...bearer, issuer: 'login.example' }, acr: ['phr'] }, 'issuer'],
    ['with a query in the issuer', { bearer: { ...bearer, issuer: 'https://x.example/?a' }, acr: ['phr'] }, 'no query'],
    ['with HMAC', { bearer: { ...bearer, algorithms: ['HS256'] }, acr: ['phr'] }, 'bearer.algorithms'],
    ['with the algorithm none', { bearer: { ...bearer, algorithms: ['none'] }, acr: ['phr'] }, 'bearer.algorithms'],
  ]
  it.each(cases)('requireMfa({ bearer }) is refused at start %s', (_, options, message) => {
    expect(() => requireMfa(options as RequireMfaOptions)).toThrow(TypeError)
    expect(() => requireMfa(options as RequireMfaOptions)).toThrow(message)
  })

  it.each([
    ['issuer', { ...bearer, issuer: 'http://login.example' }],
    ['jwksUri', { ...bearer, jwksUri: 'http://login.example/keys' }],
  ])('requireMfa({ bearer }) is refused at start with %s over plain http', (name, options) => {
    const create = () => requireMfa({ bearer: options, acr: ['phr'] })

    expect(create).toThrow(SetupError)
    expect(create).toThrow(`requireMfa: bearer.${name} is plain http (http://login.example), so the keys`)
  })

  it('requireMfa({ bearer }) is refused at start with milliseconds', () => {
    expect(() => requireMfa({ bearer, acr: ['phr'], maxAge: 300_000 })).toThrow(RangeError)
  })
})
