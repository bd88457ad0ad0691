import express from 'express'
import session from 'express-session'
import { Secret, TOTP } from 'otpauth'
import request from 'supertest'
import { mfa, requireMfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { createSignIn, createTestClock, passSecondStep, startTestService } from 'second-factor/testing'
import type { TestService } from 'second-factor/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { inFullRun } from '../support/full-run.ts'

type TestAgent = ReturnType<typeof request.agent>

/** A developer's app, as its own tests start it. */
function createApp(service: TestService, options: Partial<MfaOptions> = {}) {
  const app = express()
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
  app.post('/login/:username', (req, res) => {
    Object.assign(req.session, { username: req.params.username })
    res.sendStatus(204)
  })
  const user = (req: { session?: unknown }) => {
    const { username } = req.session as { username?: string }
    return username === undefined ? null : { username }
  }
  app.use(mfa({ service, clock: service.clock, user, ...options }))
  app.get('/danger', requireMfa({ maxAge: 60 }), (_req, res) => void res.send('danger'))
  app.use((req, res) => void res.send(`hello ${String(req.mfa?.verified?.factor)}`))
  return app
}

describe('the kit for tests of an app', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startTestService()
  })
  afterEach(() => service.close())

  inFullRun('the test kit signs an agent in with both steps in a few lines', async () => {
    const agent = request.agent(createApp(service))
    const device = await service.enroll('alice')

    await agent.post('/login/alice')
    await passSecondStep(agent, device)

    expect((await agent.get('/')).text).toBe('hello push')
  })

  inFullRun.each([
    ['as the only factor', false],
    ['beside a device', true],
  ])('the test kit signs an agent in with a passkey, %s', async (_, hasDevice) => {
    const publicUrl = 'http://localhost:3000'
    const agent = request.agent(createApp(service, { publicUrl, phishingResistant: 'require' }))
    if (hasDevice) await service.enroll('alice')
    const passkey = await service.addPasskey('alice', publicUrl)

    await agent.post('/login/alice')
    await passSecondStep(agent, passkey)

    expect((await agent.get('/')).text).toBe('hello passkey')
  })

  inFullRun('the test kit types a code, such as the first one of an app that is imported', async () => {
    const totp = new TOTP({ secret: new Secret({ size: 20 }) })
    const importFactors = () => ({ otpauth: totp.toString() })
    const agent = request.agent(createApp(service, { importFactors }))
    await service.addUser('alice')
    await agent.post('/login/alice')

    await expect(passSecondStep(agent, { code: '000000' })).rejects.toThrow(
      "The second step was not passed: That code didn't work",
    )
    await passSecondStep(agent, { code: totp.generate({ timestamp: service.clock.now() * 1000 }) })

    expect((await agent.get('/')).text).toBe('hello otp')
  })

  it('the test kit says why a passkey of another origin is not accepted', async () => {
    const agent = request.agent(createApp(service, { publicUrl: 'http://localhost:3000' }))
    const passkey = await service.addPasskey('alice', 'http://other.localhost:3000')
    await agent.post('/login/alice')

    await expect(passSecondStep(agent, passkey)).rejects.toThrow('The page offers no passkey')
  })

  inFullRun('the test kit moves time for app and service', async () => {
    const agent = request.agent(createApp(service))
    const device = await service.enroll('alice')
    await agent.post('/login/alice')
    await passSecondStep(agent, device)

    await service.clock.advance(60)

    expect((await agent.get('/danger')).status).toBe(403)
  })

  inFullRun('the test kit denies and reports like a person', async () => {
    const agent = request.agent(createApp(service))
    const device = await service.enroll('alice')
    await agent.post('/login/alice')

    await agent.get('/mfa').redirects(1)
    await device.deny()
    expect((await agent.get('/mfa')).text).toContain('You denied this sign-in')
    await agent.post('/mfa/send').set('Sec-Fetch-Site', 'same-origin')
    await device.report()

    expect((await agent.get('/mfa')).text).toContain('Reported')
  })

  inFullRun('the test kit signs in with the login of the app, with or without the second step', async () => {
    const app = createApp(service)
    const signIn = createSignIn({ service, login: (agent: TestAgent, user: string) => agent.post(`/login/${user}`) })
    const [half, whole] = [request.agent(app), request.agent(app)]

    await signIn(half, 'alice')
    await signIn(whole, 'alice', { mfa: true })

    expect((await half.get('/')).status).toBe(403)
    expect((await whole.get('/')).text).toBe('hello push')
  })

  inFullRun(
    'the test kit signs in several users at once, also one user twice, with the app’s own user type',
    async () => {
      const app = createApp(service)
      const login = (agent: TestAgent, user: { username: string }) => agent.post(`/login/${user.username}`)
      const signIn = createSignIn({ service, login })
      const people = ['alice', 'bob', 'bob'].map((username) => ({ agent: request.agent(app), username }))

      // Two requests of one person at one moment: the newest is approved, so one after the other for bob.
      await Promise.all(people.slice(0, 2).map(({ agent, username }) => signIn(agent, { username }, { mfa: true })))
      await signIn(people[2]!.agent, { username: 'bob' }, { mfa: true })

      for (const { agent } of people) expect((await agent.get('/')).text).toBe('hello push')
    },
  )

  inFullRun('the test kit enrolls a new device once the old one is revoked, and only then', async () => {
    const [firstEnrollment, secondEnrollment] = [await service.enroll('alice'), await service.enroll('alice')]
    const { id } = await service.client.users.getByUsername('alice')

    await service.client.tokens.revoke(service.domainId, id)

    expect(secondEnrollment).toBe(firstEnrollment)
    expect(await service.enroll('alice')).not.toBe(firstEnrollment)
  })

  inFullRun('the test kit issues codes that work once', async () => {
    const app = createApp(service)
    await service.enroll('alice')
    const code = await service.code('alice')
    const enterCode = async () => {
      const agent = request.agent(app)
      await agent.post('/login/alice')
      await agent.get('/mfa')
      await agent.post('/mfa/code').type('form').set('Sec-Fetch-Site', 'same-origin').send({ code })
      return agent.get('/')
    }

    const firstAnswer = await enterCode()
    const secondAnswer = await enterCode()

    expect(firstAnswer.text).toBe('hello bypass')
    expect(secondAnswer.text).not.toContain('hello')
  })

  inFullRun('the test kit ends the verified web sessions of a user', async () => {
    const agent = request.agent(createApp(service))
    await agent.post('/login/alice')
    await passSecondStep(agent, await service.enroll('alice'))
    const statusBefore = (await agent.get('/')).status

    await service.endSessions('alice')
    await service.clock.advance(60)

    expect([statusBefore, (await agent.get('/')).status]).toEqual([200, 403])
  })

  it('the test kit reports a failed login', async () => {
    const signIn = createSignIn({
      service,
      login: (agent: TestAgent, user: unknown) => agent.post(`/nowhere/${String(user)}`),
    })

    await expect(signIn(request.agent(express()), 'alice')).rejects.toThrow('The login returned status 404')
    await expect(signIn(request.agent(createApp(service)), 7, { mfa: true })).rejects.toThrow('no username')
  })

  inFullRun('the test kit names the mistake: nothing to approve, no one signed in, the wrong device', async () => {
    const agent = request.agent(createApp(service))
    const [alice, bob] = [await service.enroll('alice'), await service.enroll('bob')]

    await expect(alice.approve()).rejects.toThrow('No request is pending for alice')
    await expect(passSecondStep(agent, alice)).rejects.toThrow('The challenge page returned status 401: Sign in first')
    await agent.post('/login/alice')
    await expect(passSecondStep(agent, bob)).rejects.toThrow('No request is pending for bob')
  })

  inFullRun.each([
    ['a promise of a device', (kit: TestService) => kit.enroll('alice'), ', got a promise: write await'],
    ['a code alone', (kit: TestService) => kit.code('alice'), 'needs a device, a passkey or { code }'],
    ['nothing', () => undefined, 'needs a device, a passkey or { code }'],
  ])('passSecondStep() says what it needs when it gets %s', async (_, means, message) => {
    const agent = request.agent(createApp(service))
    await agent.post('/login/alice')
    const given = means(service)
    const by = message.includes('promise') ? given : await given

    await expect(passSecondStep(agent, by as never)).rejects.toThrow(message)
    await given
  })

  inFullRun('the test clock goes on while a test fakes the timers', async () => {
    const agent = request.agent(createApp(service))
    await agent.post('/login/alice')
    await passSecondStep(agent, await service.enroll('alice'))
    vi.useFakeTimers()

    try {
      await service.clock.advance(60)
    } finally {
      vi.useRealTimers()
    }

    expect((await agent.get('/danger')).status).toBe(403)
  })

  inFullRun.each(['5m', Number.NaN, undefined, -1, Number.POSITIVE_INFINITY])(
    'the test clock refuses to advance by %s, and keeps its time',
    async (seconds) => {
      const before = service.clock.now()

      await expect(service.clock.advance(seconds as number)).rejects.toThrow('needs a number of seconds, such as 300')

      expect(service.clock.now()).toBe(before)
    },
  )

  it.each([1_796_022_529_639, Number.NaN, -1])(
    'createTestClock() refuses %s, which is no Unix time in seconds',
    (start) => {
      expect(() => createTestClock(start)).toThrow(`was ${start} meant as milliseconds?`)
    },
  )
})
