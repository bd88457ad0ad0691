import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import { createClient } from 'second-factor/client'
import { describe, expect, it } from 'vitest'

import { safeReturnTo } from '../../src/express/request/return-to.ts'
import type { Browser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'
import { exchange } from '../support/raw-http.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** What browsers, or proxies, have read as another place. */
const spellings = [
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '/ /evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/x/..//evil.example',
  '/%2e//evil.example',
  '/%2e%2e//evil.example',
  'https://evil.example',
  'http:evil.example',
  'https:/evil.example',
  'HTTPS://evil.example',
  '//evil.example@app.example',
  'app.example@evil.example',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,x',
  'evil.example',
  '@evil.example',
  '?x',
  '#x',
  '',
  '/account\r\nSet-Cookie: a=b',
  '/a\u0000b',
  '/a\u007fb',
  '/a\u2028b',
  `/${'a'.repeat(2048)}`,
]

const neverAsked = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'k'.repeat(64), domainId: 'd'.repeat(40) }

describe('the address after a challenge', () => {
  it.each([
    '/',
    '/account',
    '/a/b?c=d&e=%2F%2Fevil.example',
    '/a#b',
    '/search?next=https://evil.example/',
    '/mfable',
    '/%2F%2Fevil',
  ])('the address after a challenge may be the path %j on this origin', (path) => {
    expect(safeReturnTo(path, '/mfa')).toBe(path)
  })

  it.each(spellings)('the address after a challenge is never the foreign address %j', (value) => {
    expect(safeReturnTo(value, '/mfa')).toBeUndefined()
  })

  it.each(['/mfa', '/mfa/', '/mfa/complete', '/mfa?x', '/x/../mfa', '/./mfa/send'])(
    'the address after a challenge is never the challenge itself: %j',
    (path) => {
      expect(safeReturnTo(path, '/mfa')).toBeUndefined()
    },
  )

  it.each([undefined, null, 7, ['/'], { toString: () => '/' }])(
    'the address after a challenge is never anything but text: %j',
    (value) => {
      expect(safeReturnTo(value, '/mfa')).toBeUndefined()
    },
  )
})

describe('an open redirect', () => {
  it.each([
    ['as returnTo', (browser: Browser, target: string) => browser.open(`/mfa?returnTo=${encodeURIComponent(target)}`)],
    [
      'as the page a form is on',
      // What no header can hold no browser sends.
      (browser: Browser, target: string) =>
        browser.submit('/orders', {}, { referer: target.replaceAll(/[^\u0021-\u007e]/g, '') }),
    ],
  ])('no spelling of an address %s causes an open redirect', async (_, ask) => {
    const app = await startWebApp()
    await app.verify(app.browser(), 'alice')
    const { baseUrl, apiKey, fetch } = await app.service.connect()
    const client = createClient({ baseUrl, apiKey, fetch })
    const { id } = await client.users.getByUsername('alice')
    const { code = '' } = await client.bypassCodes.create(id, { usesAllowed: spellings.length, expirationTime: 60 })
    const led: (readonly [string, string])[] = []
    for (const spelling of spellings) {
      const browser = app.browser()
      await app.signIn(browser, 'alice')
      await ask(browser, spelling)
      led.push([spelling, (await browser.submit('/mfa/code', { code })).headers['location'] ?? ''])
    }

    const elsewhere = led.filter(([, location]) => new URL(location, app.url).origin !== app.url)

    expect(spellings.length).toBeGreaterThanOrEqual(30)
    expect(elsewhere).toEqual([])
  })

  inFullRun.each([
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/%2e%2e//evil.example',
    'http://evil.example/',
  ])('the request path %j causes no open redirect', async (path) => {
    const app = await startWebApp()
    const account = await app.verify(app.browser(), 'alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    const cookie = `connect.sid=${browser.cookie('connect.sid')}`

    const port = Number(new URL(app.url).port)
    await exchange(port, `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nAccept: text/html\r\nCookie: ${cookie}\r\n\r\n`)
    await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
    const location = (await browser.submit('/mfa/complete')).headers['location'] ?? ''

    expect(new URL(location, app.url).origin).toBe(app.url)
  })

  it.each([
    ['/*all', '//evil.example/x'],
    ['/*all', '/\\evil.example'],
    ['/:tenant', '/\\evil.example/x'],
  ])('mfa() mounted below %s causes no open redirect for the path %s', async (below, path) => {
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
    app.use(
      below,
      mfa({ service: neverAsked, authenticatorUrl: 'https://mfa.example', user: () => ({ username: 'alice' }) }),
    )
    const url = await listen(app)

    const { headers } = await exchange(
      Number(new URL(url).port),
      `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nAccept: text/html\r\n\r\n`,
    )

    const location = headers.get('location') ?? ''
    expect(location).toMatch(/\/mfa$/)
    expect(new URL(location, url).origin).toBe(url)
  })

  it('the address that htmx opens is on the origin of the app, even where mfa() is mounted below a parameter', async () => {
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
    app.use(
      '/:tenant',
      mfa({ service: neverAsked, authenticatorUrl: 'https://mfa.example', user: () => ({ username: 'alice' }) }),
    )
    const url = await listen(app)

    const { headers } = await exchange(
      Number(new URL(url).port),
      'GET /\\evil.example/mfa?purpose=step_up HTTP/1.1\r\nHost: x\r\nHX-Request: true\r\nAccept: */*\r\n\r\n',
    )

    const address = headers.get('hx-redirect') ?? ''
    expect(address).toMatch(/\/mfa\?purpose=step_up$/)
    expect(new URL(address, url).origin).toBe(url)
  })

  inFullRun('values that the app passes on cause no open redirect', async () => {
    const app = await startWebApp({
      routes: (routes) => {
        routes.get('/ask', (req) => req.mfa?.challenge({ maxAge: 300, returnTo: req.query['next'] as string }))
      },
    })
    const browser = app.browser()
    const account = await app.verify(browser, 'alice')

    await browser.visit('/ask?next=//evil.example')
    await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))

    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/ask?next=//evil.example')
  })
})
