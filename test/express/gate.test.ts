import express from 'express'
import session from 'express-session'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { isVerified, mfa, requireMfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'

import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** A service that is never asked. */
const service = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'k'.repeat(64), domainId: 'd'.repeat(40) }
const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }

/** An app without a login: who is signed in, a header says. */
function appOf(options: Partial<MfaOptions> = {}, middleware: express.RequestHandler[] = [webSession()]) {
  const app = express()
  app.get('/public.css', (_req, res) => void res.send('public'))
  for (const handler of middleware) app.use(handler)
  const user: MfaOptions['user'] = (req) =>
    typeof req.headers['x-user'] === 'string' ? { username: req.headers['x-user'] } : undefined
  app.use(mfa({ service, authenticatorUrl: 'https://mfa.example', user, ...options }))
  app.get('/guarded', requireMfa({ maxAge: 300 }))
  app.use((req, res) => void res.send(`reached ${String(isVerified(req))}`))
  app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
    res.status(500).send(error.message)
  })
  return app
}

const webSession = () => session({ secret: 'test', resave: false, saveUninitialized: false })

describe('the gate', () => {
  it.each(['get', 'post', 'put', 'patch', 'delete', 'options'] as const)(
    'the gate stops a signed-in, unverified user at every later route: %s',
    async (method) => {
      const answer = await request(appOf())[method]('/anything').set('x-user', 'alice')

      expect(answer.status).toBe(403)
      expect(answer.body).toMatchObject({ error: 'mfa_required', challenge: '/mfa' })
      expect(answer.headers['cache-control']).toBe('no-store')
    },
  )

  it('the gate stops a second web session of a user whose first one is verified', async () => {
    const app = await startWebApp()
    const [first, second] = [app.browser(), app.browser()]
    const { account, page: waiting } = await app.enroll(first, 'alice')
    await app.answer(account, 'approve', numberOn(waiting))
    await first.submit('/mfa/complete')
    await app.signIn(second, 'alice')

    expect((await first.fetch('/account')).status).toBe(200)
    expect((await second.fetch('/account')).status).toBe(403)
  })

  it('the gate redirects pages to the challenge with 303, so that a POST is not repeated', async () => {
    const answer = await request(appOf())
      .post('/form')
      .set({ ...page, 'x-user': 'alice' })

    expect(answer.status).toBe(303)
    expect(answer.headers['location']).toBe('/mfa')
  })

  it.each([
    [{ 'sec-fetch-mode': 'cors', accept: 'text/html' }, 403],
    [{ 'sec-fetch-mode': 'no-cors', accept: 'text/html' }, 403],
    [{ accept: '*/*' }, 403],
    [{ accept: 'application/json' }, 403],
    [{}, 403],
    [{ accept: 'text/html,application/xhtml+xml' }, 303],
    [{ 'sec-fetch-mode': 'navigate', accept: '*/*' }, 303],
    [{ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' }, 303],
    [{ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', accept: 'text/html' }, 403],
    // As a service worker of the app hands it on.
    [{ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'empty', accept: 'text/html' }, 303],
    [{ 'sec-fetch-mode': 'same-origin', 'sec-fetch-dest': 'empty', accept: 'text/html' }, 403],
  ] as const)(
    'the gate distinguishes pages from data by the headers of the browser: %j is %i',
    async (headers, status) => {
      const answer = await request(appOf())
        .get('/')
        .set({ 'x-user': 'alice', ...headers })

      expect(answer.status).toBe(status)
    },
  )

  it('the gate lets signed-out users pass, because the app decides about them', async () => {
    expect((await request(appOf()).get('/')).text).toBe('reached false')
  })

  it('isVerified() is false for a request that mfa() has not seen, and says what an upgrade needs', async () => {
    const warnings: string[] = []
    const listener = (warning: Error) => void warnings.push(warning.message)
    process.on('warning', listener)
    const upgrade = { headers: { upgrade: 'websocket' }, session: {} } as unknown as express.Request

    const answers = [isVerified(upgrade), isVerified(upgrade)]
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', listener)

    expect(answers).toEqual([false, false])
    expect(warnings).toEqual([expect.stringContaining('Call verifyUpgrade(req, user)')])
  })

  it('the gate does not affect routes before it', async () => {
    expect((await request(appOf()).get('/public.css').set('x-user', 'alice')).text).toBe('public')
  })

  it('the gate lets requests to logoutPath pass, and no path that merely resembles it', async () => {
    const app = appOf({ logoutPath: '/logout' })
    const statusOf = async (path: string) => (await request(app).post(path).set('x-user', 'alice')).status

    expect(await statusOf('/logout')).toBe(200)
    expect(await statusOf('/logout?next=/')).toBe(200)
    for (const path of [
      '/logout/',
      '/logout/all',
      '/LOGOUT',
      '/logout%2F..',
      '/%6Cogout',
      '//logout',
      '/x/../logout',
      '/logout;a',
    ]) {
      expect([path, await statusOf(path)]).toEqual([path, 403])
    }
  })

  it('the gate lets users exempted by the option required pass, without verifying them', async () => {
    const app = appOf({ required: async (_req, user) => user.username !== 'guest' })

    expect((await request(app).get('/').set('x-user', 'guest')).text).toBe('reached false')
    expect((await request(app).get('/').set('x-user', 'alice')).status).toBe(403)
  })

  it('requireMfa() lets only users pass whom the option required exempts everywhere, and only while it says so', async () => {
    const answers: Record<string, boolean | 'never'> = { alice: true, guest: false, pilot: 'never' }
    const app = appOf({ required: async (_req, user) => answers[user.username ?? ''] ?? true })
    const open = (path: string, user: string) => request(app).get(path).set('x-user', user)

    expect([(await open('/', 'pilot')).text, (await open('/guarded', 'pilot')).text]).toEqual([
      'reached false',
      'reached false',
    ])
    expect([(await open('/', 'guest')).status, (await open('/guarded', 'guest')).status]).toEqual([200, 403])
    expect([(await open('/', 'alice')).status, (await open('/guarded', 'alice')).status]).toEqual([403, 403])
    answers['pilot'] = true
    expect((await open('/guarded', 'pilot')).status).toBe(403)
    expect((await request(app).get('/guarded')).status).toBe(401)
  })

  it('the gate lets nobody pass when the option required or user fails', async () => {
    const failing = () => {
      throw new Error('directory down')
    }

    expect(
      (
        await request(appOf({ required: failing }))
          .get('/')
          .set('x-user', 'alice')
      ).status,
    ).toBe(500)
    expect((await request(appOf({ user: failing })).get('/')).status).toBe(500)
    expect((await request(appOf({ user: () => Promise.reject(new Error('directory down')) })).get('/')).status).toBe(
      500,
    )
  })

  it('the gate leaves everything to requireMfa() when it is off', async () => {
    const app = express()
    app.use(webSession())
    app.use(
      mfa({
        service,
        authenticatorUrl: 'https://mfa.example',
        gate: false,
        user: (req) => ({ username: String(req.headers['x-user']) }),
      }),
    )
    app.get('/guarded', requireMfa(), (_req, res) => void res.send('reached'))
    app.get('/open', (_req, res) => void res.send('reached'))

    expect((await request(app).get('/open').set('x-user', 'alice')).text).toBe('reached')
    expect((await request(app).get('/guarded').set('x-user', 'alice')).status).toBe(403)
  })

  it('the gate works below a mount path', async () => {
    const outer = express()
    outer.use('/app', appOf())

    const answer = await request(outer)
      .get('/app/x')
      .set({ ...page, 'x-user': 'alice' })

    expect(answer.headers['location']).toBe('/app/mfa')
  })
})

describe('mfa() in the wrong place', () => {
  it('mfa() without a web session before it is an error on every request, never a pass', async () => {
    const answer = await request(appOf({}, [])).get('/')

    expect(answer.status).toBe(500)
    expect(answer.text).toContain('put app.use(session(…))')
  })

  it('mfa() is an error if nothing says who is signed in', async () => {
    const answer = await request(appOf({ user: undefined })).get('/')

    expect(answer.status).toBe(500)
    expect(answer.text).toContain('put app.use(passport.session()) before app.use(mfa())')
  })

  it('mfa() is an error before Passport has read the login, even if the option user returns nobody', async () => {
    const loggedIn: express.RequestHandler = (req, _res, next) => {
      Object.assign(req.session, { passport: { user: 'alice' } })
      next()
    }
    const answer = await request(appOf({ user: () => null }, [webSession(), loggedIn])).get('/')

    expect(answer.status).toBe(500)
    expect(answer.text).toContain('mfa() runs before Passport has read the login')
  })

  it.each([
    [{ username: '' }, 'username: is missing'],
    [{ username: 7 }, 'username: must be a string'],
    [{ id: 7 }, 'username: is missing'],
    [{ username: 'a', serviceUserId: 'a'.repeat(40) }, 'serviceUserId: must be absent where there is a username'],
    [{ serviceUserId: 'not-an-id' }, 'serviceUserId: has the wrong form'],
    [{ username: 'a\tb', email: 'nowhere' }, 'username: must not contain control characters'],
  ])('mfa() is an error for an invalid user: %j', async (user, mistake) => {
    const answer = await request(appOf({ user: () => user as object })).get('/')

    expect(answer.status).toBe(500)
    expect(answer.text).toContain(mistake)
    expect(answer.text).toContain("Return an object such as { username: 'alice' }")
  })

  it.each([
    { id: 7, username: 'alice', passwordHash: 'x' },
    { username: 'alice', name: null, email: '' },
    { username: 'alice', serviceUserId: null },
  ])('mfa() accepts a user as the app’s database has it: %j', async (user) => {
    const answer = await request(appOf({ user: () => user })).get('/')

    // The service has no such user.
    expect(answer.status).toBe(403)
  })

  it('mfa() tells an app without Passport that a user has no username', async () => {
    const byToken: express.RequestHandler = (req, _res, next) => {
      Object.assign(req, { user: { sub: 'alice' } })
      next()
    }
    const answer = await request(appOf({ user: undefined }, [webSession(), byToken])).get('/')

    expect(answer.text).toContain('mfa: req.user has no username: set the option user.')
  })

  it('requireMfa() without mfa() before it is an error, never a pass', async () => {
    const app = express()
    app.get('/', requireMfa(), (_req, res) => void res.send('reached'))
    app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
      res.status(500).send(error.message)
    })

    expect((await request(app).get('/')).text).toContain('needs app.use(mfa())')
  })
})

describe('requireMfa()', () => {
  it('requireMfa() rejects a user that was set after mfa() ran, as strategies without a web session do', async () => {
    const app = express()
    app.use(webSession())
    app.use(mfa({ service, authenticatorUrl: 'https://mfa.example', user: (req) => req.user as { username: string } }))
    app.use((req, _res, next) => {
      Object.assign(req, { user: { username: 'alice' } })
      next()
    })
    app.get('/', requireMfa(), (_req, res) => void res.send('reached'))

    const answer = await request(app).get('/').set(page)

    expect(answer.status).toBe(403)
    expect(answer.body.error).toBe('mfa_required')
  })

  it('requireMfa() answers 401 to signed-out users', async () => {
    const app = express()
    app.use(webSession())
    app.use(mfa({ service, authenticatorUrl: 'https://mfa.example', user: () => null }))
    app.get('/', requireMfa(), (_req, res) => void res.send('reached'))

    expect((await request(app).get('/')).status).toBe(401)
  })

  it('requireMfa() detects a maxAge in milliseconds, and rejects unknown options', () => {
    expect(() => requireMfa({ maxAge: 300_000 })).toThrow(RangeError)
    expect(() => requireMfa({ maxAge: 300_000 })).toThrow(/milliseconds/)
    expect(() => requireMfa({ maxAge: 43_200 })).not.toThrow()
    expect(() => requireMfa({ maxage: 300 } as never)).toThrow(TypeError)
    expect(() => requireMfa({ maxAge: 0 })).toThrow(TypeError)
  })
})

describe('the options of mfa()', () => {
  it.each([
    [{ service, gates: false }, /gates/],
    [{ service: { ...service, baseUrl: 'mfa.example' } }, /service/],
    [{ service, path: 'mfa' }, /path: must be a path such as \/mfa/],
    [{ service, user: 'alice' }, /user: must be a function/],
    [{}, /MFA_BASE_URL.*|embedded\(/],
  ])('the options of mfa() are checked at startup, with a message that says what to write: %#', (options, message) => {
    expect(() => mfa(options as never)).toThrow(TypeError)
    expect(() => mfa(options as never)).toThrow(message)
  })

  it('an error about the options of mfa() never contains a secret', () => {
    const options = { service: { ...service, apiKey: 'hunter2', baseUrl: 'x' }, secret: 'hunter3' }

    expect(messageOf(() => mfa(options as never))).not.toMatch(/hunter/)
  })
})

function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return String(error)
  }
  throw new Error('nothing was thrown')
}

describeInFullRun('a POST to the challenge', () => {
  it.each(['/mfa/complete', '/mfa/send', '/mfa/cancel'])(
    'a POST to %s from another site has no effect',
    async (path) => {
      const app = await startWebApp()
      const browser = app.browser()
      const { account } = await app.enroll(browser, 'alice')
      await app.clock.advance(20)
      const requestsBefore = (await app.device.requests(account)).requests

      const answer = await browser.submit(path, {}, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })

      expect(answer.status).toBe(403)
      expect((await app.device.requests(account)).requests).toEqual(requestsBefore)
    },
  )

  it('a POST to the challenge without any header of the browser needs the token of the page', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { page: waiting } = await app.enroll(browser, 'alice')
    const token = /name="page" value="([\w-]{22}\.[\w-]{8})"/.exec(waiting.text)?.[1] ?? ''
    const old = { 'sec-fetch-site': '', 'sec-fetch-mode': '' }
    const post = (fields: object) =>
      request(app.url).post('/mfa/cancel').type('form').set('cookie', browser.cookies()).send(fields).redirects(0)
    void old

    expect((await post({})).status).toBe(403)
    expect((await post({ page: 'x'.repeat(22) })).status).toBe(403)
    expect((await post({ page: token })).status).toBe(303)
  })
})

describe('the pages of the challenge', () => {
  it('the pages of the challenge cannot be cached or framed, and run only their own script', async () => {
    const app = await startWebApp()
    const { page: waiting } = await app.enroll(app.browser(), 'alice')

    expect(waiting.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    const policy = waiting.headers['content-security-policy']
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(waiting.text).not.toMatch(/<script(?![^>]+src=)|\sstyle=|\son\w+=/)
  })

  inFullRun(
    'the pages of the challenge allow passkeys and copying, whatever the app denies its own pages',
    async () => {
      const denied = 'publickey-credentials-create=(), publickey-credentials-get=(), clipboard-write=(), camera=()'
      const deny: express.RequestHandler = (_req, res, next) => next(void res.set('Permissions-Policy', denied))
      const app = await startWebApp({ before: [deny] })
      const { page: waiting } = await app.enroll(app.browser(), 'alice')

      expect(waiting.headers['permissions-policy']?.split(', ')).toEqual([
        'publickey-credentials-create=(self)',
        'publickey-credentials-get=(self)',
        'clipboard-write=(self)',
        'camera=()',
        'geolocation=()',
        'microphone=()',
        'payment=()',
        'usb=()',
      ])
    },
  )

  inFullRun('the pages of the challenge escape the name of the user', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { page: waiting } = await app.enroll(browser, '<img src=x onerror=alert(1)>')

    expect(waiting.text).not.toContain('<img')
    expect(waiting.text).toContain('&lt;img')
  })
})
