import express from 'express'
import session from 'express-session'
import request from 'supertest'
import { createClient } from 'second-factor/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mfa, requireMfa, verifiedMfa } from 'second-factor'
import type { MfaOptions, MfaRequiredError } from 'second-factor'

import { createTestClock } from '../../src/testing/clock.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** Routes that want more than a sign-in. */
function startBank(options: Partial<MfaOptions> = {}) {
  return startWebApp({
    mfa: options,
    routes(app) {
      app.get('/by-code', requireMfa({ factors: ['bypass'] }), (_req, res) => void res.send('reached'))
      app.post('/transfer', express.urlencoded({ extended: false }), (req, res) => {
        const recent = req.mfa?.verified && Number(req.body.amount) <= 1000
        if (!recent) return req.mfa?.challenge({ maxAge: 60, factors: ['push'], returnTo: '/transfer/again' })
        return res.send('sent')
      })
      app.get('/badly-asked', (req) => req.mfa?.challenge({ maxAge: 300_000 }))
      app.get('/new-password', requireMfa({ maxAge: 60, purpose: 'change your password' }), (_req, res) =>
        res.send('new'),
      )
      app.get(
        '/by-code-for',
        requireMfa({ factors: ['bypass'], purpose: 'close your account' }),
        (_req, res) => void res.send('closed'),
      )
      app.get('/proof', requireMfa(), (req, res) => void res.json(verifiedMfa(req)))
      const answer = (req: express.Request, res: express.Response, need = {}) => {
        try {
          res.json(verifiedMfa(req, need))
        } catch (error) {
          res.json((error as MfaRequiredError).extensions)
        }
      }
      app.get('/recent', (req, res) => answer(req, res, { maxAge: 60 }))
      app.get('/as-bob', (req, res) => {
        req.user = { username: 'bob', email: 'bob@example.com' } as never
        answer(req, res)
      })
    },
  })
}

describeInFullRun('requireMfa({ factors })', () => {
  it('requireMfa({ factors }) accepts a verification by one of these factors, and demands one of them otherwise', async () => {
    const app = await startBank()
    const browser = app.browser()
    const account = await app.verify(browser, 'alice')
    const { baseUrl, apiKey, fetch } = await app.service.connect()
    const client = createClient({ baseUrl, apiKey, fetch })
    const { id } = await client.users.getByUsername('alice')
    const { code = '' } = await client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })

    const codePage = await browser.visit('/by-code')
    expect(codePage.text).toContain('Enter a code')
    expect((await app.device.requests(account)).requests).toEqual([])
    expect((await browser.fetch('/by-code')).status).toBe(403)

    const done = await browser.submit('/mfa/code', { code })
    expect(done.headers['location']).toBe('/by-code')
    expect((await browser.open('/by-code')).text).toBe('reached')
  })

  it('requireMfa({ factors }) rejects an approval by another factor, whatever the browser does', async () => {
    const app = await startBank()
    const browser = app.browser()
    const account = await app.verify(browser, 'alice')
    await browser.visit('/by-code')

    await browser.submit('/mfa/send')
    await browser.submit('/mfa/complete')

    expect((await app.device.requests(account)).requests).toEqual([])
    expect((await browser.fetch('/by-code')).status).toBe(403)
  })
})

describe('requireMfa({ purpose })', () => {
  /** A browser of alice, verified for longer than a password may be changed without a step-up. */
  async function verifiedLongAgo() {
    const app = await startBank()
    const browser = app.browser()
    const account = await app.verify(browser, 'alice')
    await app.clock.advance(61)
    const purposeShown = async () => {
      const [pending] = (await app.device.requests(account)).requests ?? []
      return pending?.attributes.find(({ key }) => key === 'Purpose')?.value
    }
    return { app, browser, account, purposeShown }
  }
  const headline = (text: string) => /<h1[^>]*>([^<]*)</.exec(text)?.[1]

  inFullRun('requireMfa({ purpose }) shows on the page and on the device what is confirmed', async () => {
    const { browser, purposeShown } = await verifiedLongAgo()

    const page = await browser.visit('/new-password')

    expect(headline(page.text)).toBe('To change your password, confirm that it&#39;s you')
    // No sign-in is canceled here.
    expect(page.text).toContain('>Cancel</button>')
    expect(await purposeShown()).toBe('change your password')
  })

  inFullRun('a step-up that was denied on the device is not called a sign-in', async () => {
    const { app, browser, account } = await verifiedLongAgo()
    await browser.visit('/new-password')

    await app.answer(account, 'deny')
    const page = await browser.visit('/mfa')

    expect(headline(page.text)).toBe('You denied this request')
    expect(page.text).toContain('Someone else may be using your account.')
  })

  inFullRun('requireMfa({ purpose }) shows the purpose where a code is typed, too', async () => {
    const { app, browser } = await verifiedLongAgo()
    const { baseUrl, apiKey, fetch } = await app.service.connect()
    const client = createClient({ baseUrl, apiKey, fetch })
    const { id } = await client.users.getByUsername('alice')
    await client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })

    expect(headline((await browser.visit('/by-code-for')).text)).toBe(
      'To close your account, confirm that it&#39;s you',
    )
  })

  inFullRun('requireMfa({ purpose }) asks again for another purpose', async () => {
    const { browser, purposeShown } = await verifiedLongAgo()
    await browser.visit('/danger?')
    await browser.visit('/new-password')

    expect(await purposeShown()).toBe('change your password')
  })

  inFullRun('requireMfa({ purpose }) passes the purpose on to a script, whose user opens the page', async () => {
    const { browser, purposeShown } = await verifiedLongAgo()

    const refused = await browser.fetch('/new-password')
    const page = await browser.visit(refused.body.challenge)

    expect(refused.status).toBe(403)
    expect(headline(page.text)).toBe('To change your password, confirm that it&#39;s you')
    expect(await purposeShown()).toBe('change your password')
  })

  it('requireMfa({ purpose }) ignores words that the app did not seal for this user', async () => {
    const { app, browser, purposeShown } = await verifiedLongAgo()
    const bob = app.browser()
    await app.verify(bob, 'bob')
    await app.clock.advance(61)
    const ofBob = (await bob.fetch('/new-password')).body.challenge

    await browser.visit('/mfa?purpose=step_up&action=stop+a+theft')
    expect(await purposeShown()).toBeUndefined()
    const page = await browser.visit(ofBob)

    expect(headline(page.text)).toBe('Confirm that it&#39;s you')
    expect(await purposeShown()).toBeUndefined()
  })
})

describe('req.mfa.challenge()', () => {
  inFullRun(
    'req.mfa.challenge() demands the second step inside a handler, and returns where the handler says without posting again',
    async () => {
      const app = await startBank()
      const browser = app.browser()
      const account = await app.verify(browser, 'alice')
      expect((await browser.submit('/transfer', { amount: '10' })).text).toBe('sent')

      const transferAnswer = await browser.submit('/transfer', { amount: '5000' })
      expect(transferAnswer.headers['location']).toBe('/mfa')
      await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))

      expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/transfer/again')
    },
  )

  inFullRun('req.mfa.challenge() detects a maxAge in milliseconds', async () => {
    const app = await startBank()
    const browser = app.browser()
    await app.verify(browser, 'alice')

    const answer = await browser.open('/badly-asked')

    expect(answer.status).toBe(500)
    expect(answer.text).toContain('milliseconds')
  })

  it('req.mfa.challenge() fails without a signed-in user', async () => {
    const app = await startBank()

    expect((await app.browser().submit('/transfer', { amount: '1' })).text).toContain('no user is signed in')
  })
})

describe('verifiedMfa()', () => {
  inFullRun('verifiedMfa() returns the verification record', async () => {
    const app = await startBank()
    const browser = app.browser()
    await app.verify(browser, 'alice')

    const proof = await browser.fetch('/proof')

    expect(proof.body).toEqual({
      at: app.clock.now(),
      factor: 'push',
      factorId: expect.stringMatching(/^[0-9a-f]{40}$/),
      purpose: 'sign_in',
      sessionId: expect.stringMatching(/^[0-9a-f]{40}$/),
      epoch: expect.stringMatching(/^[0-9a-f]{40}$/),
      userKey: 'username:alice',
    })
  })

  it('verifiedMfa() never returns a time in the future, even if the clock of the service is ahead', async () => {
    const slowClock = createTestClock(Math.floor(Date.now() / 1000) - 600)
    const app = await startBank({ clock: slowClock })
    const browser = app.browser()
    await app.verify(browser, 'alice')

    const { body } = await browser.fetch('/proof')
    const inTime = await browser.open('/danger')
    await slowClock.advance(300)
    const late = await browser.open('/danger')

    expect(body.at).toBe(slowClock.now() - 300)
    expect([inTime.status, late.status]).toEqual([200, 303])
  })

  it('verifiedMfa() requires what the handler asks for, and names the challenge that passes it', async () => {
    const app = await startBank()
    const browser = app.browser()
    await app.verify(browser, 'alice')
    const first = await browser.fetch('/recent')

    await app.clock.advance(60)
    const second = await browser.fetch('/recent')

    expect(first.body).toMatchObject({ factor: 'push' })
    expect(second.body).toEqual({ code: 'MFA_REQUIRED', challenge: '/mfa?purpose=step_up' })
  })

  it('verifiedMfa() names no challenge while no user is signed in, who could not pass it', async () => {
    const app = await startBank()

    const answer = await app.browser().fetch('/recent')

    expect(answer.body).toEqual({ code: 'SIGN_IN_REQUIRED' })
  })

  it('verifiedMfa() names no challenge to a visitor where the app has to look its user up, even in vain', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => void unhandled.push(error)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const lookups = [async () => undefined, () => Promise.reject(new Error('no database'))]
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
    const service = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'k'.repeat(64), domainId: 'd'.repeat(40) }
    app.use(mfa({ service, authenticatorUrl: 'https://mfa.example', user: () => lookups.shift()?.() }))
    app.get('/', (req) => void verifiedMfa(req))
    app.use((error: MfaRequiredError, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
      res.json(error.extensions)
    })

    const { body } = await request(app).get('/')

    expect(body).toEqual({ code: 'SIGN_IN_REQUIRED' })
    expect(unhandled).toEqual([])
  })

  it('verifiedMfa() throws for another user, whom this request has signed in beside the web session', async () => {
    const app = await startBank()
    const browser = app.browser()
    await app.verify(browser, 'alice')

    const answer = await browser.fetch('/as-bob')

    expect(answer.body).toMatchObject({ code: 'MFA_REQUIRED' })
  })

  it('verifiedMfa() throws without a verification record, so that a forgotten guard is an error and not a hole', async () => {
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
    const service = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'k'.repeat(64), domainId: 'd'.repeat(40) }
    app.use(mfa({ service, authenticatorUrl: 'https://mfa.example', gate: false, user: () => ({ username: 'alice' }) }))
    app.get('/', (req, res) => void res.json(verifiedMfa(req)))
    app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
      res.status(500).send(error.message)
    })

    const answer = await request(app).get('/')

    expect(answer.status).toBe(500)
    expect(answer.text).toContain('the second step was not passed')
  })
})
