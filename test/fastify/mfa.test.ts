import formbody from '@fastify/formbody'
import createFastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forgetMfa, isVerified, mfa, requireMfa, verifiedMfa } from 'second-factor/fastify'
import type { MfaOptions } from 'second-factor/fastify'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { registerSessions, sessionOf, startFastifyApp } from '../support/frameworks.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { numberOn } from '../support/web-app.ts'

const user = (request: FastifyRequest) => sessionOf(request).user

/** An app that a test puts together itself, with a user who has a device. */
async function arrange(options: Partial<MfaOptions> = {}) {
  const service = await startTestService()
  const warnings: string[] = []
  const app = createFastify({ forceCloseConnections: true })
  await registerSessions(app, '@fastify/session')
  const mfaOptions = {
    service,
    clock: service.clock,
    user,
    logger: { info() {}, warn: (text: string) => void warnings.push(text), error() {} },
    ...options,
  }
  onTestFinished(async () => {
    await app.close()
    await service.close()
  })
  const device = await service.enroll('alice')
  return { app, service, device, mfaOptions, warnings }
}

function addLogin(app: FastifyInstance): void {
  app.get('/login', (request) => {
    sessionOf(request).user = { username: 'alice', email: 'alice@example.com' }
    return 'signed in'
  })
}

async function open(app: FastifyInstance) {
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(createBrowser(url), { url })
}

describe('the plugin for Fastify', () => {
  inFullRun('the plugin is refused at start before the web session, with what to write', async () => {
    const app = createFastify()
    const service = await startTestService()
    onTestFinished(() => service.close())

    await expect(app.register(mfa, { service, user })).rejects.toThrow('write await app.register(session, …) before')
  })

  inFullRun.each([
    ['without the option user', {}, 'set the option user'],
    ['with an unknown option', { user, appname: 'Bank' }, 'appname'],
  ])('the plugin is refused at start %s', async (_, options, message) => {
    const { app, service } = await arrange()

    await expect(app.register(mfa, { service, ...options } as MfaOptions)).rejects.toThrow(message)
  })

  inFullRun(
    'the plugin gates the routes that the app has registered before it, and nothing beside its own part of the app',
    async () => {
      const { app, mfaOptions } = await arrange()
      addLogin(app)
      await app.register(async (outside) => void outside.get('/outside', () => 'outside'))
      await app.register(
        async (portal) => {
          portal.get('/early', () => 'early')
          await portal.register(mfa, mfaOptions)
          await portal.register(async (inner) => void inner.get('/late', () => 'late'))
        },
        { prefix: '/portal' },
      )
      const browser = await open(app)
      await browser.open('/login')

      const answers = await Promise.all(
        ['/portal/early', '/portal/late', '/outside'].map((path) => browser.fetch(path)),
      )

      expect(answers.map(({ status }) => status)).toEqual([403, 403, 200])
      expect(answers[0]?.body).toMatchObject({ challenge: '/portal/mfa' })
      expect((await browser.visit('/portal/early')).text).toContain('Approve the sign-in')
    },
  )

  it('the plugin leads users of a later login to its own pages, also from the part of the app with another one', async () => {
    const later = (request: FastifyRequest) => (request as { later?: { username: string } }).later
    const { app, mfaOptions } = await arrange({ user: later })
    await app.register(mfa, mfaOptions)
    await app.register(
      async (part) => {
        await part.register(mfa, { ...mfaOptions, required: () => 'never' })
        part.addHook('preValidation', async (request) => void Object.assign(request, { later: { username: 'alice' } }))
        part.get('/page', () => 'page')
      },
      { prefix: '/part' },
    )
    const browser = await open(app)

    expect((await browser.open('/part/page')).headers['location']).toBe('/mfa')
  })

  it('the second step ends with a sign-out that keeps the web session, also where the next login answers in a hook', async () => {
    const { app, device, mfaOptions } = await arrange({ public: ['/login', '/logout', '/again'] })
    await app.register(mfa, mfaOptions)
    addLogin(app)
    app.get('/logout', (request) => {
      sessionOf(request).user = undefined
      return 'signed out'
    })
    const preValidation = async (request: FastifyRequest, reply: FastifyReply) => {
      sessionOf(request).user = { username: 'alice', email: 'alice@example.com' }
      return reply.redirect('/secret')
    }
    app.get('/again', { preValidation }, () => 'not reached')
    app.get('/secret', () => 'secret')
    const browser = await open(app)
    await browser.open('/login')
    await browser.open('/secret')
    await browser.open('/mfa')
    await device.approve()
    await browser.submit('/mfa/complete', {})
    const passed = await browser.open('/secret')
    await browser.open('/logout')

    await browser.open('/again')

    expect(passed.text).toBe('secret')
    expect((await browser.fetch('/secret')).status).toBe(403)
  })

  inFullRun.each(['/a/', '/ä', '/a b', '/:tenant'])('the plugin is refused at the prefix %j', async (prefix) => {
    const { app, mfaOptions } = await arrange()

    await expect(app.register(async (part) => part.register(mfa, mfaOptions), { prefix })).rejects.toThrow(
      'plain prefix',
    )
  })

  it('a user whom a later hook signs in is gated before the handlers of the route, and stays verified', async () => {
    const { app, device, mfaOptions } = await arrange({
      user: (request) => (request as { login?: { username: string } }).login,
    })
    app.decorateRequest('login', undefined)
    await app.register(mfa, mfaOptions)
    // As the strategies of @fastify/passport do.
    app.addHook('preValidation', async (request) => {
      if (request.headers.authorization !== undefined) Object.assign(request, { login: { username: 'alice' } })
    })
    app.get('/', (request) => ({ verified: isVerified(request) }))
    const browser = await open(app)
    const signedIn = { authorization: 'Basic alice' }
    const script = { ...signedIn, accept: 'application/json', 'sec-fetch-mode': 'cors' }

    expect((await browser.fetch('/')).body).toEqual({ verified: false })
    expect((await browser.open('/', script)).status).toBe(403)
    await browser.open('/', signedIn)
    expect((await browser.open('/mfa', signedIn)).text).toContain('Approve the sign-in')
    await device.approve()
    await browser.submit('/mfa/complete', {}, signedIn)
    expect((await browser.open('/', script)).text).toBe('{"verified":true}')
  })

  inFullRun(
    'mfa of Fastify warns of a login for one request, and not of one that @fastify/passport keeps and that redirects',
    async () => {
      const { app, mfaOptions, warnings } = await arrange({
        user: (request) => (request as { user?: { username: string } }).user,
      })
      app.decorateRequest('user', undefined)
      await app.register(mfa, mfaOptions)
      app.get('/login/:kind', (request, reply) => {
        Object.assign(request, { user: { username: 'alice' } })
        // @fastify/passport stores the serialized user itself, without `{ user }` around it.
        if (request.url === '/login/lasting') Object.assign(request.session, { passport: 'alice' })
        return reply.redirect('/', 303)
      })

      await app.inject('/login/lasting')
      await app.inject('/login/once')

      const ofLogins = () => warnings.filter((text) => text.includes('a user signed in after mfa() ran'))
      await expect.poll(ofLogins).toEqual([expect.stringContaining('GET /login/once: ')])
    },
  )

  inFullRun(
    'requireMfa() of Fastify is an error where mfa did not run, and lets nobody pass who is not signed in',
    async () => {
      const { app, mfaOptions } = await arrange()
      app.get('/outside', { preHandler: requireMfa() }, () => 'reached')
      await app.register(async (inside) => {
        await inside.register(mfa, mfaOptions)
        inside.get('/inside', { onRequest: requireMfa() }, () => 'reached')
      })
      const browser = await open(app)

      const outside = await browser.fetch('/outside')

      expect([outside.status, JSON.stringify(outside.body)]).toEqual([
        500,
        expect.stringContaining('requireMfa() needs await app.register(mfa, …) before it'),
      ])
      expect((await browser.fetch('/inside')).status).toBe(401)
    },
  )

  inFullRun('verifiedMfa() of Fastify throws unless the user is verified, and forgetMfa() ends that', async () => {
    const app = await startFastifyApp('@fastify/session', {
      mfa: { gate: false },
      routes(fastify) {
        fastify.get('/proof', (request) => verifiedMfa(request, { maxAge: 300 }).factor)
        fastify.get('/forget', (request) => forgetMfa(request).then(() => ({ verified: isVerified(request) })))
      },
    })
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    const before = await browser.fetch('/proof')
    const account = await app.activate(await browser.visit('/mfa'))
    await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
    await browser.submit('/mfa/complete')

    expect([before.status, (await browser.open('/proof')).text]).toEqual([500, 'push'])
    expect((await browser.fetch('/forget')).body).toEqual({ verified: false })
    expect((await browser.fetch('/account')).body).toMatchObject({ verified: false, user: { username: 'alice' } })
  })
})

describe('the pages on Fastify', () => {
  inFullRun.each([
    ['without a parser for forms', undefined],
    ['with @fastify/formbody', (app: FastifyInstance) => void app.register(formbody)],
    [
      'with a parser that fails',
      (app: FastifyInstance) =>
        app.addContentTypeParser('application/x-www-form-urlencoded', (_request, _body, done) =>
          done(new Error('not yours')),
        ),
    ],
  ])('the pages on Fastify read their forms %s, and leave the parsers of the app alone', async (_, addParser) => {
    const { app, service, mfaOptions } = await arrange()
    addParser?.(app)
    await app.register(mfa, mfaOptions)
    addLogin(app)
    app.post('/echo', { config: {} }, (request) => ({ body: request.body }))
    const browser = await open(app)
    await browser.open('/login')
    await browser.visit('/')

    const done = await browser.submit('/mfa/code', { code: await service.code('alice') })

    expect(done.headers['location']).toBe('/')
    const { body } = (await (
      await fetch(`${browser.url}/echo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: browser.cookies() },
        body: '{"a":1}',
      })
    ).json()) as { body: unknown }
    expect(body).toEqual({ a: 1 })
  })

  inFullRun(
    'hooks that the app adds after mfa do not run for its pages, and of those before it that reject forms a warning tells',
    async () => {
      const late = await arrange()
      await late.app.register(mfa, late.mfaOptions)
      const early = await arrange()
      addLogin(late.app)
      addLogin(early.app)
      const protect = (app: FastifyInstance) =>
        void app.addHook('onRequest', ({ method }, reply, done) => {
          if (method === 'POST') void reply.code(403).send('no token')
          else done()
        })
      protect(late.app)
      protect(early.app)
      await early.app.register(mfa, early.mfaOptions)
      const [browser, rejected] = [await open(late.app), await open(early.app)]
      for (const each of [browser, rejected]) {
        await each.open('/login')
        await each.visit('/')
      }
      await late.device.approve()

      expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/')
      expect((await rejected.submit('/mfa/complete')).text).toBe('no token')
      expect(early.warnings.join()).toContain('Change the order: await app.register(mfa')
    },
  )

  inFullRun(
    'headers that hooks have set are on the pages and on the files of the service, and the pages have a policy of their own',
    async () => {
      const app = await startFastifyApp('@fastify/session', {
        beforeMfa: (fastify) =>
          void fastify.addHook('onRequest', async (_request, reply) => {
            reply.headers({
              'Strict-Transport-Security': 'max-age=1',
              'Content-Security-Policy': "default-src 'none'",
              Vary: 'Origin',
            })
          }),
      })
      const browser = app.browser()
      await app.signIn(browser, 'alice')

      const page = await browser.visit('/account')
      const file = await browser.open('/mfa/authenticator/')

      expect(page.headers['strict-transport-security']).toBe('max-age=1')
      expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(page.headers['vary']).toBe('Origin, Accept-Language')
      expect([file.status, file.headers['strict-transport-security']]).toEqual([200, 'max-age=1'])
    },
  )

  it.each(['@fastify/session', '@fastify/secure-session'] as const)(
    'public files on %s carry no cookie, whatever the app stores in each request',
    async (framework) => {
      const app = await startFastifyApp(framework, {
        session: { saveUninitialized: true, rolling: true },
        beforeMfa: (fastify) =>
          void fastify.addHook(
            'onRequest',
            async (request) => void Object.assign(sessionOf(request), { seen: Math.random() }),
          ),
      })
      const browser = app.browser()

      for (const path of ['/mfa/assets/style.css', '/mfa/authenticator/']) {
        const { status, headers } = await browser.open(path)
        expect([path, status, headers['set-cookie']]).toEqual([path, 200, undefined])
      }
      expect((await browser.open('/account')).headers['set-cookie']).toBeDefined()
    },
  )

  inFullRun.each(['@fastify/session', '@fastify/secure-session'] as const)(
    'the web session of %s can be read by the hooks of the app for each answer below /mfa',
    async (framework) => {
      const logged: unknown[] = []
      const app = await startFastifyApp(framework, {
        beforeMfa(fastify) {
          fastify.addHook('onSend', async (request, reply) => {
            reply.header('x-user', sessionOf(request).user?.username)
          })
          fastify.addHook('onResponse', async (request) => void logged.push(sessionOf(request).user?.username))
        },
      })
      const browser = app.browser()
      await app.enroll(browser, 'alice')
      logged.length = 0

      const paths = ['/mfa', '/mfa/status?now', '/mfa/assets/style.css']
      for (const path of paths) {
        const { status, headers } = await browser.open(path)
        expect([path, status, headers['x-user']]).toEqual([path, 200, 'alice'])
      }
      await expect.poll(() => logged).toEqual(paths.map(() => 'alice'))
    },
  )

  it('a cookie that the app sets by @fastify/cookie on every answer keeps shared caches from storing public files', async () => {
    const { app, mfaOptions } = await arrange()
    app.addHook('onRequest', async (_request, reply) => void reply.setCookie('seen', '1'))
    await app.register(mfa, mfaOptions)
    const browser = await open(app)

    const { headers } = await browser.open('/mfa/assets/style.css')

    expect(headers['set-cookie']).toEqual([expect.stringMatching(/^seen=1;/)])
    expect(headers['cache-control']).toBe('private, max-age=31536000, immutable')
  })

  inFullRun('the event stream of a waiting page tells of the approval, and ends', async () => {
    const app = await startFastifyApp('@fastify/session')
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    const token = /name="page" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const stream = await fetch(`${app.url}/mfa/events?page=${token}`, { headers: { cookie: browser.cookies() } })

    await app.answer(account, 'approve', numberOn(page))

    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await stream.text()).toMatch(/event: hello[\s\S]*event: change/)
  })
})

describeInFullRun('the option logout on Fastify', () => {
  it.each([
    ['takes the request alone', async (request: FastifyRequest) => sessionOf(request).destroy?.(), '/'],
    [
      'redirects',
      (async (request, reply) => {
        await sessionOf(request).destroy?.()
        void reply.redirect('/bye')
      }) satisfies MfaOptions['logout'],
      '/bye',
    ],
    [
      'answers in a callback',
      ((request, reply) => {
        void sessionOf(request)
          .destroy?.()
          .then(() => void reply.redirect('/bye'))
      }) satisfies MfaOptions['logout'],
      '/bye',
    ],
  ])('a handler that %s signs the user out', async (_, logout, location) => {
    const app = await startFastifyApp('@fastify/session', { mfa: { logout: logout as never } })
    const browser = app.browser()
    await app.verify(browser, 'alice')

    const answer = await browser.submit('/mfa/sign-out')

    expect(answer.headers['location']).toBe(location)
    expect((await browser.fetch('/account')).body).toMatchObject({ verified: false, user: null })
  })

  it('a redirect to another origin becomes a page that leads there, because the form may not be sent elsewhere', async () => {
    const elsewhere = 'https://login.example/out'
    const logout = (_request: FastifyRequest, reply: { redirect(to: string): unknown }) => reply.redirect(elsewhere)
    const app = await startFastifyApp('@fastify/session', { mfa: { logout: logout as never } })
    const browser = app.browser()
    await app.verify(browser, 'alice')

    const { status, headers } = await browser.submit('/mfa/sign-out')

    expect([status, headers['location'], headers['refresh']]).toEqual([200, undefined, `0; url=${elsewhere}`])
  })
})
