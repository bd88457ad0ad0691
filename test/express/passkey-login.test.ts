import express from 'express'
import type { Request } from 'express'
import type { MfaEvent, MfaOptions, VerifiedPasskey } from 'second-factor'
import { embedded } from 'second-factor/service'
import request from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'

import type { CreationOptions, UsernamelessOptions } from '../../src/contract/webauthn.ts'
import { createWatchedClock } from '../service/start-service.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import type { Lies } from '../../src/testing/software-authenticator.ts'
import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

interface OwnLogin {
  /** Whom the app signs in, if not the owner of the passkey. */
  readonly logsIn?: string | null
  /** How long that takes, seconds. */
  readonly takes?: number
}

/** An app with a login of its own by passkey. */
async function startApp({ logsIn, takes = 0, ...mfa }: Partial<MfaOptions> & OwnLogin = {}) {
  const clock = createWatchedClock()
  const events: MfaEvent[] = []
  const passkeys: VerifiedPasskey[] = []
  const keep = (passkey: VerifiedPasskey) => {
    passkeys.unshift(passkey)
    return passkey
  }

  async function logInByPasskey(req: Request) {
    const passkey = await req.mfa!.verifyPasskey(req.body)
    if (!passkey) return 'wrong'
    if (logsIn !== null) await logInWithPassport(req, { username: logsIn ?? passkey.username })
    clock.skip(takes)
    return req.mfa!.acceptPasskey(keep(passkey))
  }

  const app = await startWebApp({
    service: { clock },
    mfa: { clock, onEvent: (event) => void events.push(event), ...mfa },
    routes(routes) {
      routes.post('/login/options', (req, res, next) => {
        req.mfa!.passkeyOptions().then((options) => res.json(options), next)
      })
      routes.post('/login/passkey', express.json(), (req, res, next) => {
        logInByPasskey(req).then((verified) => res.status(verified === 'wrong' ? 401 : 200).json({ verified }), next)
      })
      routes.post('/verify', express.json(), (req, res, next) => {
        req.mfa!.verifyPasskey(req.body).then((passkey) => res.json({ passkey: passkey && keep(passkey) }), next)
      })
      routes.post('/accept', (req, res, next) => {
        req.mfa!.acceptPasskey(passkeys[0]!).then((verified) => res.json({ verified }), next)
      })
      routes.post('/invent', (req, res, next) => {
        req.mfa!.acceptPasskey({ username: 'alice', serviceUserId: 'a'.repeat(40) }).then(() => res.json({}), next)
      })
    },
  })
  const url = app.url.replace('127.0.0.1', 'localhost')

  /** A user with a passkey of their own. */
  async function enroll(username = 'alice') {
    const authenticator = createAuthenticator({ origin: url })
    const browser = createBrowser(url)
    await app.signIn(browser, username)
    await browser.visit('/account')
    const { text } = await browser.submit('/mfa/enroll/passkey/options')
    const response = JSON.stringify(authenticator.make(JSON.parse(text) as CreationOptions))
    await browser.submit('/mfa/enroll/passkey', { name: 'Laptop', response })
    return authenticator
  }

  const start = async (browser: Browser) =>
    JSON.parse((await browser.submit('/login/options')).text) as UsernamelessOptions

  /** Posts JSON with the cookies of the browser, and keeps those of the answer. */
  async function post(browser: Browser, path: string, body: object) {
    const names = ['connect.sid', 'mfa-passkey']
    const cookie = names.flatMap((name) => (browser.cookie(name) ? [`${name}=${browser.cookie(name)}`] : [])).join('; ')
    const answer = await request(url).post(path).set({ cookie, 'sec-fetch-site': 'same-origin' }).send(body)
    const [, id = ''] = /connect\.sid=([^;]+)/.exec(String(answer.headers['set-cookie'])) ?? []
    return { answer, nextBrowser: createBrowser(url, new Map([['connect.sid', id]])) }
  }

  /** The whole login. */
  async function logIn(
    authenticator: Awaited<ReturnType<typeof enroll>>,
    lies: Lies = {},
    browser = createBrowser(url),
  ) {
    return post(browser, '/login/passkey', authenticator.use(await start(browser), lies))
  }

  return { ...app, url, events, enroll, start, post, logIn }
}

function logInWithPassport(req: Request, user: Express.User): Promise<void> {
  return new Promise((resolve, reject) => {
    req.login(user, (error: Error | undefined) => (error ? reject(error) : resolve()))
  })
}

const isVerified = async (browser: Browser) => (await browser.open('/account')).status === 200

describe('a login by passkey on a page of the app', () => {
  inFullRun(
    'a login by passkey is both steps: the web session is verified, also after Passport gave it a new id',
    async () => {
      const app = await startApp()
      const authenticator = await app.enroll()

      const { answer, nextBrowser } = await app.logIn(authenticator)

      expect(answer.body).toMatchObject({
        verified: { factor: 'passkey', purpose: 'sign_in', userKey: 'username:alice' },
      })
      expect(await isVerified(nextBrowser)).toBe(true)
      expect(app.events).toContainEqual(expect.objectContaining({ type: 'challenge.passed', factor: 'passkey' }))
    },
  )

  inFullRun('a login by passkey satisfies an app that accepts only passkeys', async () => {
    const app = await startApp({ phishingResistant: 'require' })

    const { nextBrowser } = await app.logIn(await app.enroll())

    expect(await isVerified(nextBrowser)).toBe(true)
  })

  it.each<[string, Lies]>([
    ['without user verification', { uv: false }],
    ['of another relying party', { rpId: 'other.localhost' }],
    ['of another origin', { origin: 'http://evil.localhost' }],
    ['for another challenge', { challenge: Buffer.alloc(54).toString('base64url') }],
    ['with the handle of another user', { userHandle: Buffer.alloc(20).toString('base64url') }],
  ])('a login by passkey fails with an answer %s', async (_, lies) => {
    const app = await startApp()

    const { answer } = await app.logIn(await app.enroll(), lies)

    expect(answer.status).toBe(401)
    expect(app.events.at(-1)?.type).toBe('passkey.wrong')
  })

  it('a login by passkey fails with an answer that was used before', async () => {
    const app = await startApp()
    const authenticator = await app.enroll()
    const browser = createBrowser(app.url)
    const response = authenticator.use(await app.start(browser))

    const firstPost = await app.post(browser, '/login/passkey', response)
    const secondPost = await app.post(browser, '/login/passkey', response)

    expect([firstPost.answer.status, secondPost.answer.status]).toEqual([200, 401])
  })

  it('a login by passkey fails in another browser than the one that was asked', async () => {
    const app = await startApp()
    const authenticator = await app.enroll()
    const [attacker, victim] = [createBrowser(app.url), createBrowser(app.url)]
    const response = authenticator.use(await app.start(attacker))
    await app.start(victim)

    const withOther = await app.post(victim, '/login/passkey', response)
    const withNone = await app.post(createBrowser(app.url), '/login/passkey', response)

    expect([withOther.answer.status, withNone.answer.status]).toEqual([401, 401])
  })

  it('a login by passkey fails with a body that is not an answer at all', async () => {
    const app = await startApp()
    const browser = createBrowser(app.url)
    await app.start(browser)

    const answers = [{}, { id: 7 }, { id: 'AA', rawId: 'AA', type: 'public-key', response: null }]
    const statuses = await Promise.all(
      answers.map(async (body) => (await app.post(browser, '/login/passkey', body)).answer.status),
    )

    expect(statuses).toEqual([401, 401, 401])
  })

  it.each([
    ['another user', 'bob', 'belongs to another user'],
    ['no user', null, 'sign the user in before'],
  ])(
    'a login by passkey is an error where the app has signed in %s, and verifies no one',
    async (_, logsIn, message) => {
      const app = await startApp({ logsIn })
      const authenticator = await app.enroll()
      await app.enroll('bob')

      const { answer, nextBrowser } = await app.logIn(authenticator)

      const { body } = await nextBrowser.open('/account')

      expect([answer.status, answer.text]).toEqual([500, expect.stringContaining(message)])
      expect((body as { verified?: boolean }).verified).not.toBe(true)
    },
  )

  it('a login by passkey is accepted only in its own request, once, never if the app made the object itself', async () => {
    const app = await startApp()
    const authenticator = await app.enroll()
    const { nextBrowser } = await app.logIn(authenticator)
    const secondAcceptance = await app.post(nextBrowser, '/accept', {})
    const browser = createBrowser(app.url)
    const verified = await app.post(browser, '/verify', authenticator.use(await app.start(browser)))

    const [later, invented] = [await app.post(nextBrowser, '/accept', {}), await app.post(nextBrowser, '/invent', {})]

    expect(verified.answer.body).toMatchObject({ passkey: { username: 'alice' } })
    expect(secondAcceptance.answer.text).toContain('takes what req.mfa.verifyPasskey() returned in this request, once')
    expect(later.answer.text).toContain('takes what req.mfa.verifyPasskey() returned in this request, once')
    expect(invented.answer.text).toContain('takes what req.mfa.verifyPasskey() returned in this request, once')
  })

  it('a login by passkey does not count if the app takes so long to sign the user in that the answer is old', async () => {
    const [quick, slow] = [await startApp({ takes: 30 }), await startApp({ takes: 31 })]

    const { answer: inTime } = await quick.logIn(await quick.enroll())
    const { answer: late } = await slow.logIn(await slow.enroll())

    expect(inTime.body).toMatchObject({ verified: { factor: 'passkey' } })
    expect(late.body).toEqual({})
  })

  it('a login by passkey does not let the browser know what redeems the approval', async () => {
    const requestBodies: string[] = []
    const service = embedded({ database: ':memory:' })
    onTestFinished(() => service.close())
    const spied = {
      ...service,
      async connect() {
        const connection = await service.connect()
        const send = connection.fetch ?? fetch
        return {
          ...connection,
          fetch: (...call: Parameters<typeof fetch>) => {
            requestBodies.push(JSON.stringify(call[1]?.body))
            return send(...call)
          },
        }
      },
    }
    const app = await startApp({ service: spied })
    const browser = createBrowser(app.url)
    await app.start(browser)

    expect(requestBodies.join()).toContain('challenge')
    expect(requestBodies.join()).not.toContain(browser.cookie('mfa-passkey'))
  })

  it.each<[string, Partial<MfaOptions>, string]>([
    ['accepts no passkeys', { factors: ['push', 'otp'] }, 'passkeys are off'],
    ['has turned them off', { passkeys: false }, 'passkeys is false'],
  ])('a login by passkey is an error where the app %s', async (_, options, message) => {
    const app = await startApp(options)

    const { text } = await createBrowser(app.url).submit('/login/options')

    expect(text).toContain(message)
  })

  it('a login by passkey is an error with a service that speaks only 1.3', async () => {
    const service = embedded({ database: ':memory:' })
    onTestFinished(() => service.close())
    const old = { ...service, connect: async () => ({ ...(await service.connect()), version: '1.3' as const }) }
    const app = await startApp({ service: old })

    const { text } = await createBrowser(app.url).submit('/login/options')

    expect(text).toContain('need a service that speaks 1.4')
  })

  it('a login by passkey is an error while the service is unavailable', async () => {
    const service = embedded({ database: ':memory:' })
    await service.close()
    const app = await startApp({ service })

    const { status, text } = await createBrowser(app.url).submit('/login/options')

    expect([status, text]).toEqual([500, 'The second step is unavailable.'])
    expect(app.events.map(({ type }) => type)).toEqual(['service.unavailable'])
  })
})
