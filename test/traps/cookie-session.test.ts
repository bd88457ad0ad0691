import cookieSession from 'cookie-session'
import express from 'express'
import { mfa, requireMfa } from 'second-factor'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { listen } from '../support/listen.ts'

/** An app whose web sessions are in the browser. */
async function arrange() {
  const service = await startTestService()
  const app = express()
  app.use(cookieSession({ name: 'web', keys: ['test'] }))
  app.post('/login/:username', (req, res) => {
    Object.assign(req.session, { username: req.params.username })
    res.sendStatus(204)
  })
  app.use(
    mfa({
      service,
      clock: service.clock,
      user: (req) => {
        const { username } = (req.session ?? {}) as { username?: string }
        return username === undefined ? null : { username }
      },
    }),
  )
  app.get('/danger', requireMfa({ maxAge: 60 }), (_req, res) => void res.send('danger'))
  app.use((req, res) => void res.json({ verified: req.mfa?.verified !== undefined }))
  const url = await listen(app)
  onTestFinished(() => service.close())
  return { service, browser: () => createBrowser(url) }
}

describe('with cookie-session', () => {
  it('the second step is passed as with any other web session', async () => {
    const { service, browser: start } = await arrange()
    const device = await service.enrol('alice')
    const browser = start()
    await browser.submit('/login/alice')

    expect((await browser.visit('/account')).text).toContain('Approve the sign-in')
    await device.approve()
    const done = await browser.submit('/mfa/complete')

    expect(done.headers['location']).toBe('/account')
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })

  it('a rolled-back cookie does not use an approval twice', async () => {
    const { service, browser: start } = await arrange()
    const device = await service.enrol('alice')
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    const before = browser.copy()
    await device.approve()
    await browser.submit('/mfa/complete')

    await before.submit('/mfa/complete')

    expect((await browser.fetch('/account')).body.verified).toBe(true)
    expect((await before.fetch('/account')).status).toBe(403)
  })

  it('a cookie that somebody wrote themselves is worth nothing', async () => {
    const { service, browser: start } = await arrange()
    await service.enrol('alice')
    const browser = start()
    await browser.submit('/login/alice')
    const forged = {
      username: 'alice',
      mfa: { verified: { at: service.clock.now(), factor: 'push', userKey: 'username:alice' } },
    }
    const cookie = Buffer.from(JSON.stringify(forged)).toString('base64')

    const answer = await browser.open('/account', { cookie: `web=${cookie}; web.sig=${browser.cookie('web.sig')}` })

    expect(answer.text).not.toContain('"verified":true')
  })

  it('a page that only reads does not sign the person out', async () => {
    const { service, browser: start } = await arrange()
    const device = await service.enrol('alice')
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    const status = browser.fetch('/mfa/status')
    await device.approve()

    expect((await status).body).toEqual({ change: 'settled' })
    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/account')
  })
})
