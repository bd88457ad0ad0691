import express from 'express'
import express4 from 'express4'
import session from 'express-session'
import { Passport } from 'passport'
import type { Logger, MfaOptions } from 'second-factor'
import { mfa } from 'second-factor'
import request from 'supertest'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { listen } from '../support/listen.ts'
import { inFullRun } from '../support/full-run.ts'

const service = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'k'.repeat(64), domainId: 'd'.repeat(40) }
const embeddedLike = {
  connect: () => Promise.reject(new Error('not asked')),
  close: () => Promise.resolve(),
  routes: () => {},
}

afterEach(() => vi.unstubAllEnvs())

interface Circumstances {
  readonly create?: typeof express
  readonly cookie?: session.CookieOptions
  readonly store?: session.Store
}

/** What is said about an app when it is first used. */
async function warningsOf(
  options: Partial<MfaOptions>,
  build: (app: express.Express) => void = () => {},
  { create = express, cookie = {}, store }: Circumstances = {},
) {
  const warnings: string[] = []
  const logger: Logger = { info() {}, error() {}, warn: (message) => void warnings.push(message) }
  const app = create()
  build(app)
  app.use(session({ secret: 'test', resave: false, saveUninitialized: true, cookie, ...(store && { store }) }))
  app.use(mfa({ service, authenticatorUrl: 'https://mfa.example', user: () => null, logger, ...options }))
  app.get('/', (_req, res) => void res.send('ok'))
  for (let i = 0; i < 3; i++) await request(app).get('/').set('X-Forwarded-Proto', 'https')
  return warnings
}

describe('a warning about the setup', () => {
  it('mfa() logs no warning about the setup of a common app', async () => {
    expect(await warningsOf({})).toEqual([])
  })

  it('mfa() does not warn about routes before it where people sign in or machines look', async () => {
    const warnings = await warningsOf({}, (app) => {
      for (const path of [
        '/login',
        '/api/login',
        '/users/sign_in',
        '/sign-up',
        '/logout',
        '/auth/callback',
        '/healthz',
      ])
        app.get(path, () => {})
    })

    expect(warnings).toEqual([])
  })

  it.each([
    [
      'where an identity provider sends people back to',
      ['/cb', '/auth/:provider', '/login/github/callback', '/saml/acs'],
    ],
    ['where people sign in by e-mail', ['/magic-link/:token', '/magic', '/forgot-password', '/verify-email']],
    ['files', ['/manifest.webmanifest', '/logo.svg', '/assets/:name', '/.well-known/security.txt']],
  ])('mfa() does not warn about routes before it: %s', async (_, paths) => {
    expect(await warningsOf({}, (app) => paths.forEach((path) => app.get(path, () => {})))).toEqual([])
  })

  inFullRun.each<[string, string | RegExp, typeof express?]>([
    ['Express 5', '/{*path}'],
    ['Express 4', '*', express4],
    ['Express 4, with a slash', '/*', express4],
    ['a regular expression', /.*/],
    ['a regular expression with a slash', /^\/.*$/],
  ])(
    'mfa() does not warn about a catch-all route that passes requests on: %s',
    async (_which, path, create = express) => {
      const warnings = await warningsOf({}, (app) => app.get(path, (_req, _res, next) => next()), { create })

      expect(warnings).toEqual([])
    },
  )

  it('mfa() warns about a catch-all route below another path', async () => {
    const warnings = await warningsOf({}, (app) => app.get('/admin/{*path}', (_req, _res, next) => next()))

    expect(warnings).toEqual([expect.stringContaining('not gated: /admin/{*path}.')])
  })

  it('mfa() does not warn when another mfa() refuses a request', async () => {
    const warnings: string[] = []
    const logger: Logger = { info() {}, error() {}, warn: (message) => void warnings.push(message) }
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: true }))
    const common = { service, authenticatorUrl: 'https://mfa.example', logger }
    app.use('/admin', mfa({ ...common, user: () => ({ username: 'alice' }) }))
    app.use(mfa({ ...common, user: () => null }))
    app.get('/', (_req, res) => void res.send('ok'))
    const url = await listen(app)
    await request(url).get('/')

    const refused = await request(url).post('/admin/mfa/code').set('Sec-Fetch-Site', 'cross-site')

    expect(refused.status).toBe(403)
    expect(warnings).toEqual([])
  })

  it('mfa() does not warn about a route that signs people in by Passport, whatever its path', async () => {
    const authenticate = new Passport().authenticate('anonymous')

    expect(await warningsOf({}, (app) => app.post('/enter', authenticate, () => {}))).toEqual([])
  })

  inFullRun.each(['/pricing', '/pricing/*'])(
    'mfa() does not warn about routes that %s in public covers',
    async (entry) => {
      const build = (app: express.Express) => app.get(entry.replace('*', ':plan'), () => {})

      expect(await warningsOf({}, build)).toEqual([expect.stringContaining("public: ['/pricing")])
      expect(await warningsOf({ public: [entry] }, build)).toEqual([])
    },
  )

  it.each([
    ['Express 5', express],
    ['Express 4', express4],
  ])('mfa() warns once about routes before it that are not gated, with their paths, on %s', async (_, create) => {
    const warnings = await warningsOf({}, (app) => app.get('/admin', (_req, res) => void res.send('open')), { create })

    expect(warnings).toEqual([expect.stringContaining('not gated: /admin. Move mfa()')])
  })

  it('mfa() warns about a secure cookie behind a proxy that is not trusted', async () => {
    const cookie = { secure: true }

    expect(await warningsOf({}, undefined, { cookie })).toEqual([expect.stringContaining("app.set('trust proxy'")])
    expect(await warningsOf({}, (app) => app.set('trust proxy', 1), { cookie })).toEqual([])
  })

  it('mfa() warns in production about web sessions in memory and an authenticator on the app’s origin', async () => {
    vi.stubEnv('NODE_ENV', 'production')

    const warnings = await warningsOf({
      service: embeddedLike,
      publicUrl: 'https://app.example',
      authenticatorUrl: undefined,
    })

    expect(warnings).toEqual([expect.stringContaining('kept in memory'), expect.stringContaining('authenticatorUrl')])
  })

  inFullRun.each(['http://mfa.example/api', 'http://10.0.0.7:8080/api', 'http://127.0.0.1.example/api'])(
    'mfa() warns about a service that is called over plain http through a network: %s',
    async (baseUrl) => {
      const warnings = await warningsOf({ service: { ...service, baseUrl } })

      expect(warnings).toEqual([expect.stringContaining('Use https in service.baseUrl')])
    },
  )

  inFullRun.each([
    'https://mfa.example/api',
    'http://localhost:8080/api',
    'http://mfa.localhost/api',
    'http://127.0.0.1:8080/api',
    'http://[::1]:8080/api',
  ])('mfa() does not warn about a service that is called over https or on this machine: %s', async (baseUrl) => {
    expect(await warningsOf({ service: { ...service, baseUrl } })).toEqual([])
  })

  inFullRun('mfa() warns about an app on plain http in production', async () => {
    const { MemoryStore: OtherStore } = session
    class KeptElsewhere extends OtherStore {}
    vi.stubEnv('NODE_ENV', 'production')
    const warned = (publicUrl: string) => warningsOf({ publicUrl }, undefined, { store: new KeptElsewhere() })

    expect(await warned('http://app.example')).toEqual([expect.stringContaining('publicUrl is plain http')])
    expect(await warned('https://app.example')).toEqual([])
    vi.unstubAllEnvs()
    expect(await warned('http://app.example')).toEqual([])
  })

  it('mfa() emits a process warning if there is no logger', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})

    await warningsOf({ logger: undefined }, (app) => app.get('/admin', (_req, res) => void res.send('open')))

    expect(warned).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('/admin'), { type: 'MfaWarning' })
    warned.mockRestore()
  })
})
