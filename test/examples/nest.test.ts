import { join } from 'node:path'

import { VersioningType } from '@nestjs/common'
import type { ArgumentsHost } from '@nestjs/common'
import { ExternalContextCreator, NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import type { RequestHandler, Response } from 'express'
import session from 'express-session'
import helmet from 'helmet'
import { mfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { createSignIn, passSecondStep, startTestService } from 'second-factor/testing'
import request from 'supertest'
import type { Agent } from 'supertest'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'

import { root } from '../../scripts/run.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { buildNest } from './build-nest.ts'
import { startExample } from './start-example.ts'

/** Without its types: decorators as Nest needs them are not those of the tests. */
const { AppModule, AppController } = (await import(join(root, 'examples/nest/app.module.ts'))) as {
  AppModule: new () => object
  AppController: new () => { readonly ask: () => string }
}
const [modules, commonJs] = await Promise.all(
  (['module', 'commonjs'] as const).map(async (type) => startExample(await buildNest(type), {}, { until: afterAll })),
)

describeInFullRun.each([
  ['ES modules', modules!],
  ['CommonJS', commonJs!],
])('nest, built as %s', (kind, example) => {
  it(`nest, built as ${kind}, lets only verified users reach its controllers`, async () => {
    const browser = example.browser()
    expect((await browser.open('/')).text).toContain('Sign in')
    expect((await browser.fetch('/transfer')).status).toBe(401)
    await example.signIn(browser, 'alice')
    expect((await browser.fetch('/')).status).toBe(403)
    expect((await browser.submit('/transfer', { amount: '1' })).headers['location']).toBe('/mfa')

    await example.passSecondStep(browser)

    expect((await browser.open('/')).text).toContain('You passed by push.')
    expect((await browser.submit('/transfer', { amount: '1' })).body).toEqual({ sent: 1 })
    await browser.submit('/logout')
    expect((await browser.open('/')).text).toContain('Sign in')
    expect(example.stderr()).not.toMatch(/ERROR|WARN/)
  })
})

describe('@RequireMfa()', () => {
  const page = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-origin' }

  inFullRun(
    '@RequireMfa() asks again when the second step is too old, and returns to the page below a prefix',
    async () => {
      const { agent, device, service, path } = await startNest()
      expect((await agent.get(path).set(page)).text).toContain('amount')
      await service.clock.advance(301)
      expect((await agent.get(`${path}?from=1`).set(page)).headers['location']).toBe('/mfa')

      const { headers } = await passSecondStep(agent, device)

      expect(headers['location']).toBe(`${path}?from=1`)
      expect((await agent.post(path).send({ amount: 2 })).body).toEqual({ sent: 2 })
    },
  )

  inFullRun('@RequireMfa() is passed by a code that is typed', async () => {
    const { agent, service, path } = await startNest()
    await service.clock.advance(301)
    await agent.get(path).set(page)
    const [, token] = /name="page" value="([^"]+)"/.exec((await agent.get('/mfa?use=code').set(page)).text) ?? []

    const fields = { page: token, code: await service.code('alice') }
    const { headers } = await agent.post('/mfa/code').type('form').set(page).send(fields)

    expect(headers['location']).toBe(path)
    expect((await agent.get(path).set(page)).status).toBe(200)
  })

  inFullRun.each<[string, Record<string, string>, number, Record<string, string>]>([
    ['a script', { Accept: 'application/json' }, 403, { 'mfa-challenge': '/mfa?' }],
    ['htmx', { 'HX-Request': 'true', Accept: '*/*' }, 403, { 'hx-redirect': '/mfa?' }],
    ['Turbo', { 'X-Turbo-Request-Id': '1', Accept: 'text/html' }, 303, { location: '/mfa' }],
  ])(
    '@RequireMfa() answers %s as requireMfa() does, and no filter of exceptions sees it',
    async (_, set, status, headers) => {
      const seen: unknown[] = []
      const { agent, service, path } = await startNest({ seen })
      await service.clock.advance(301)

      const answer = await agent.post(path).set(set).send({ amount: 3 })

      expect([answer.status, seen]).toEqual([status, []])
      for (const [name, value] of Object.entries(headers)) expect(answer.headers[name]).toContain(value)
    },
  )

  inFullRun('@RequireMfa() gives callers of a GraphQL resolver the address to open', async () => {
    const { agent, service } = await startNest()
    await service.clock.advance(301)

    const { extensions } = (await agent.get('/resolver')).body

    expect(extensions).toEqual({ code: 'MFA_REQUIRED', challenge: '/mfa?purpose=step_up' })
  })

  inFullRun('@RequireMfa() passes errors on to the filters of exceptions', async () => {
    const seen: unknown[] = []
    const { agent, path } = await startNest({ seen, without: true })

    expect((await agent.get(path)).status).toBe(500)
    expect(seen).toEqual([new Error('requireMfa() needs app.use(mfa()) before it')])
  })

  it('@RequireMfa() passes no request on when it cannot be decided about', async () => {
    const seen: unknown[] = []
    const required = () => Promise.reject(new Error('directory down'))
    const { agent, path } = await startNest({ seen, options: { required, public: ['/api/v1/*'] } })

    expect((await agent.get(path)).status).toBe(500)
    expect(seen).toEqual([new Error('directory down')])
  })
})

interface NestOptions {
  /** What a filter of the app is given, which answers each exception itself. */
  readonly seen?: unknown[]
  /** Forgets mfa(). */
  readonly without?: boolean
  /** More of mfa(), for a user who has not passed the second step. */
  readonly options?: MfaOptions
}

interface Login {
  readonly user?: { readonly username: string }
}

/** The example's controllers in an app that uses more of Nest, and a user who has passed the second step. */
async function startNest({ seen = [], without = false, options }: NestOptions = {}) {
  const service = await startTestService()
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody: true, logger: false })
  onTestFinished(async () => {
    await app.close()
    await service.close()
  })
  app.setGlobalPrefix('api')
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' })
  app.useGlobalFilters({
    catch(error: unknown, host: ArgumentsHost) {
      seen.push(error)
      host.switchToHttp().getResponse<Response>().status(500).json({})
    },
  })
  app.use(helmet(), session({ secret: 'test', resave: false, saveUninitialized: false }))
  if (!without)
    app.use(
      mfa({ service, clock: service.clock, user: (req) => (req.session as Login).user, appName: 'Nest', ...options }),
    )
  app.use('/resolver', createResolver(app))
  await app.init()
  const agent: Agent = request.agent(app.getHttpServer())
  const signIn = createSignIn({
    service,
    login: (to: Agent, username: string) => to.post('/api/v1/login').send({ username, password: 'secret' }),
  })
  if (options) await agent.post('/api/v1/login').send({ username: 'alice', password: 'secret' })
  else if (!without) await signIn(agent, 'alice', { mfa: true })
  return { service, agent, device: await service.enroll('alice'), path: '/api/v1/transfer' }
}

/** Serves a method of the controller as @nestjs/graphql calls it, with its guards. */
function createResolver(app: NestExpressApplication): RequestHandler {
  const [controller, creator] = [app.get(AppController), app.get(ExternalContextCreator)]
  const options = { guards: true, interceptors: true, filters: false }
  const unset = [undefined, undefined, undefined, undefined] as const
  const resolve = creator.create(controller, controller.ask, 'ask', ...unset, options, 'graphql')
  return (req, res) =>
    void resolve({}, {}, { req }).then(
      (data: unknown) => res.json({ data }),
      (error: object) => res.json(error),
    )
}
