import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'

type People = { shop?: string; office?: string }

async function openService() {
  const service = await startTestService()
  onTestFinished(() => service.close())
  return service
}

/** One app, one web session, and two parts of it that are each behind an mfa() of their own. */
async function startApp(parts: { shop: Partial<MfaOptions>; office: Partial<MfaOptions> }) {
  const app = express()
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
  app.post('/login/:part/:username', (req, res) => {
    Object.assign(req.session, { [req.params.part]: req.params.username })
    res.send('in')
  })
  for (const [part, options] of Object.entries(parts)) {
    const user: MfaOptions['user'] = (req) => {
      const username = (req.session as People)[part as keyof People]
      return username === undefined ? undefined : { username }
    }
    app.use(`/${part}`, mfa({ user, recoveryCodes: false, ...options }))
    app.get(`/${part}`, (_req, res) => void res.send(`welcome to the ${part}`))
  }
  const url = await listen(app)
  return () => createBrowser(url)
}

describe('two instances of mfa() in one app', () => {
  it('instances of mfa() with separate users do not accept each other’s verified users of the same name', async () => {
    const [shop, office] = [await openService(), await openService()]
    const browser = (
      await startApp({ shop: { service: shop, clock: shop.clock }, office: { service: office, clock: office.clock } })
    )()
    await office.addUser('root')
    await browser.submit('/login/shop/root')
    await browser.submit('/login/office/root')

    await browser.open('/shop')
    await browser.submit('/shop/mfa/code', { code: await shop.code('root') })

    expect((await browser.open('/shop')).text).toBe('welcome to the shop')
    expect((await browser.open('/office')).headers['location']).toBe('/office/mfa')
    expect((await browser.fetch('/office')).status).toBe(403)
  })

  it('users whom failMode of one mfa() let pass are not accepted by another mfa() with separate users', async () => {
    const [shop, office] = [await openService(), await openService()]
    const down = { ...shop, connect: () => Promise.reject(new Error('down')) }
    const failMode = () => true
    const browser = (
      await startApp({
        shop: { service: down, clock: shop.clock, failMode },
        office: { service: office, clock: office.clock, failMode },
      })
    )()
    await browser.submit('/login/shop/root')
    await browser.submit('/login/office/root')

    await browser.open('/shop')
    await browser.open('/shop/mfa')

    expect((await browser.open('/shop')).text).toBe('welcome to the shop')
    expect((await browser.fetch('/office')).status).toBe(403)
  })

  inFullRun('instances of mfa() with one service share verified users', async () => {
    const service = await openService()
    const browser = (
      await startApp({ shop: { service, clock: service.clock }, office: { service, clock: service.clock } })
    )()
    await browser.submit('/login/shop/root')
    await browser.submit('/login/office/root')

    await browser.open('/shop')
    await browser.submit('/shop/mfa/code', { code: await service.code('root') })

    expect((await browser.open('/office')).text).toBe('welcome to the office')
  })

  it('each mfa() accepts only its own factors, also for users verified at another one', async () => {
    const service = await openService()
    const browser = (
      await startApp({
        shop: { service, clock: service.clock },
        office: { service, clock: service.clock, factors: ['push'] },
      })
    )()
    await browser.submit('/login/shop/root')
    await browser.submit('/login/office/root')

    await browser.open('/shop')
    await browser.submit('/shop/mfa/code', { code: await service.code('root') })

    expect((await browser.open('/shop')).text).toBe('welcome to the shop')
    expect((await browser.open('/office')).headers['location']).toBe('/office/mfa')
  })

  it('an mfa() without failMode does not accept users that failMode of another one let pass', async () => {
    const [shop, office] = [await openService(), await openService()]
    const browser = (
      await startApp({
        shop: { service: shop, clock: shop.clock, failMode: () => true },
        office: { service: office, clock: office.clock },
      })
    )()
    await browser.submit('/login/shop/root')
    await browser.submit('/login/office/root')
    await shop.close()

    await browser.visit('/shop')

    expect((await browser.open('/shop')).text).toBe('welcome to the shop')
    expect((await browser.open('/office')).headers['location']).toBe('/office/mfa')
  })
})
