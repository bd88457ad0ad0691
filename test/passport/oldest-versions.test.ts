import { IncomingMessage } from 'node:http'

import express from 'express416'
import session from 'express-session'
import { Strategy as LocalStrategy } from 'passport-local'
import { isVerified, mfa, requireMfa } from 'second-factor'
import { MfaStrategy } from 'second-factor/passport'
import { createSignIn, passSecondStep, startTestService } from 'second-factor/testing'
import request from 'supertest'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'

import { inFullRun } from '../support/full-run.ts'

// Passport 0.4 adds its methods to the prototype of all requests, those of later test files among them.
const prototype = IncomingMessage.prototype
const before = Object.getOwnPropertyNames(prototype)
const { default: passport04 } = await import('passport04')
afterAll(() => {
  const added = Object.getOwnPropertyNames(prototype).filter((name) => !before.includes(name))
  for (const name of added) Reflect.deleteProperty(prototype, name)
})

async function startApp({ userProperty }: { userProperty?: string } = {}) {
  const service = await startTestService()
  onTestFinished(() => service.close())
  const passport = new passport04.Passport()
  passport.serializeUser((user, done) => done(null, String(Reflect.get(user, 'username'))))
  passport.deserializeUser((username: string, done) => done(null, { username }))
  passport.use(
    new LocalStrategy((username, password, done) => done(null, password === 'secret' ? { username } : false)),
  )
  passport.use(new MfaStrategy())
  const app = express()
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
  app.use(passport.initialize({ ...(userProperty && { userProperty }) }), passport.session())
  app.use(mfa({ service, clock: service.clock, provision: true, logoutPath: '/logout', recoveryCodes: false }))
  app.post('/login', express.urlencoded({ extended: false }), passport.authenticate('local'), (_req, res) =>
    res.redirect('/'),
  )
  app.get('/inside', passport.authenticate('mfa'), (req, res) => res.json(req.authInfo))
  // Passport 0.4 takes no callback.
  app.post('/logout', (req, res) => {
    req.logout(() => {})
    res.redirect('/')
  })
  app.get('/transfer', requireMfa({ maxAge: 300 }), (_req, res) => res.send('transferred'))
  app.get('/', (req, res) => res.json({ verified: isVerified(req), user: req.user }))
  const signIn = createSignIn({
    service,
    login: (agent: ReturnType<typeof request.agent>, username: string) =>
      agent.post('/login').type('form').send({ username, password: 'secret' }),
  })
  return { service, signIn, agent: request.agent(app) }
}

describe('the oldest supported versions, Express 4.16.0 and Passport 0.4.0', () => {
  inFullRun(
    'the gate, the second step, step-ups and the sign-out work with Express 4.16.0 and Passport 0.4.0',
    async () => {
      const { agent, service, signIn } = await startApp()

      await signIn(agent, 'alice')
      expect((await agent.get('/')).body).toMatchObject({ error: 'mfa_required', challenge: '/mfa' })
      await passSecondStep(agent, await service.enroll('alice'))
      expect((await agent.get('/')).body).toEqual({ verified: true, user: { username: 'alice' } })
      expect((await agent.get('/transfer')).text).toBe('transferred')

      expect((await agent.get('/inside')).body).toMatchObject({ mfa: { factor: 'push' } })

      await service.clock.advance(300)
      const stepUp = await agent.get('/transfer').set({ Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' })
      expect(stepUp.headers['location']).toBe('/mfa')
      await passSecondStep(agent, await service.enroll('alice'))
      expect((await agent.get('/transfer')).text).toBe('transferred')

      await agent.post('/logout')
      await signIn(agent, 'alice')
      expect((await agent.get('/')).status).toBe(403)
    },
  )

  it('the gate and the strategy find the user in another property that Passport 0.4.0 was given', async () => {
    const { agent, service, signIn } = await startApp({ userProperty: 'account' })

    await signIn(agent, 'alice')
    expect((await agent.get('/')).body).toMatchObject({ error: 'mfa_required' })
    await passSecondStep(agent, await service.enroll('alice'))

    expect((await agent.get('/')).body).toEqual({ verified: true })
    expect((await agent.get('/inside')).body).toMatchObject({ mfa: { factor: 'push' } })
  })
})
