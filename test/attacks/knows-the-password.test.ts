import express from 'express'
import { describe, expect, it } from 'vitest'

import { codeAt, stepAt } from '../../src/service/features/codes/totp.ts'
import { createClient } from '../../src/client/client.ts'
import type { Browser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import { hasPollutedPrototypes } from './polluted.ts'
import { replay, startRecorder } from './recorder.ts'
import type { Replayed } from './recorder.ts'

/** The attacker knows alice's password, and can sign in with it from any number of browsers. */
const minute = 60

type App = Awaited<ReturnType<typeof startWebApp>>

async function enter(app: App): Promise<Browser> {
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  return browser
}

const isIn = async (browser: Browser) => (await browser.fetch('/account')).body.verified === true

/** Alice with a hardware token. */
async function withHardware(app: App) {
  const { baseUrl, apiKey, fetch } = await app.service.connect()
  const client = createClient({ baseUrl, apiKey, fetch })
  const seed = '31'.repeat(20)
  const { id } = await client.hardware.create({ serialNumber: 'one', type: 'TOTP6', timeStep: 30, seed })
  const user = await client.users.getByUsername('alice')
  await client.hardware.assign(user.id, id)
  return { code: () => codeAt({ seed, digits: 6 }, stepAt(app.clock.now(), 30)) }
}

describe('guessing codes', () => {
  it('guessing codes over many challenges ends after ten, and a correct code then fails like a wrong one', async () => {
    const app = await startWebApp()
    await app.verify(app.browser(), 'alice')
    const { code } = await withHardware(app)
    for (let round = 0; round < 3; round += 1) {
      const browser = await enter(app)
      for (let guess = 0; guess < 4; guess += 1) await browser.submit('/mfa/code', { code: '000000' })
    }

    const late = await enter(app)
    await late.submit('/mfa/code', { code: code() })
    const whileLocked = await isIn(late)
    await app.clock.advance(15 * minute)
    const laterBrowser = await enter(app)
    await laterBrowser.submit('/mfa/code', { code: code() })

    expect(whileLocked).toBe(false)
    expect(await isIn(laterBrowser)).toBe(true)
  })

  it('guessing codes from 24 browsers at once checks at most ten codes', async () => {
    const app = await startWebApp()
    await app.verify(app.browser(), 'alice')
    const { code } = await withHardware(app)
    const browsers = await Promise.all(Array.from({ length: 24 }, () => enter(app)))

    await Promise.all(browsers.map((browser) => browser.submit('/mfa/code', { code: '000000' })))
    const late = await enter(app)
    await late.submit('/mfa/code', { code: code() })

    expect(await isIn(late)).toBe(false)
    expect((await late.visit('/mfa?use=code')).text).toContain('Codes work again in')
  })

  it('guessing codes does not lock the owner out: the device still works', async () => {
    const app = await startWebApp()
    const account = await app.verify(app.browser(), 'alice')
    const { code } = await withHardware(app)
    // A challenge ends after five wrong codes, which alone locks nothing.
    for (let round = 0; round < 3; round += 1) {
      const thief = await enter(app)
      for (let guess = 0; guess < 4; guess += 1) await thief.submit('/mfa/code', { code: '000000' })
      await thief.submit('/mfa/cancel')
    }

    const owner = await enter(app)
    await owner.submit('/mfa/code', { code: code() })
    const byCode = await isIn(owner)
    await app.answer(account, 'approve', numberOn(await owner.visit('/account')))
    await owner.submit('/mfa/complete')

    expect([byCode, await isIn(owner)]).toEqual([false, true])
  })

  inFullRun.each([
    { 'code[]': '000000' },
    { 'code[$ne]': '' },
    { code: '1e5' },
    { code: '000000\u0000' },
    { code: "000000' OR 1=1 --" },
    { code: '９９９９９９' },
    { verified: 'true', factor: 'push', userKey: 'username:alice' },
    { __proto__polluted: '1', 'constructor[prototype][verified]': '1', '__proto__[verified]': '1' },
  ])('an attacker who knows the password does not pass with the form %j', async (fields) => {
    const app = await startWebApp()
    await app.verify(app.browser(), 'alice')
    const thief = await enter(app)

    await thief.submit('/mfa/code', fields)
    await thief.submit('/mfa/complete', fields)

    expect(await isIn(thief)).toBe(false)
    expect(hasPollutedPrototypes()).toBe(false)
  })

  it('an attacker who knows the password does not pass with a body that the app parsed leniently', async () => {
    // The parsers run before mfa(), which reads the form as they parsed it.
    const generous = () => express().use(express.json(), express.urlencoded({ extended: true }))
    // With `failMode`, a web session can record that the user was allowed without a second step.
    const app = await startWebApp({ express: generous as typeof express, mfa: { failMode: () => false } })
    await app.verify(app.browser(), 'alice')
    const thief = await enter(app)

    await thief.submit('/mfa/code', { '__proto__[code]': '000000', 'code[length]': '6' })
    const marker = { at: String(app.clock.now()), factor: 'push', userKey: 'username:alice' }
    const fields = Object.entries(marker).flatMap(([name, value]) => [
      [`verified[${name}]`, value],
      [`letThrough[${name}]`, value],
      [`constructor[prototype][${name}]`, value],
    ])
    // Not so late that it would be taken for a mistake of the clock.
    const until = String(app.clock.now() + 100)
    for (const path of ['/mfa/code', '/mfa/send', '/mfa/email', '/mfa/complete']) {
      await thief.submit(path, { ...Object.fromEntries(fields), 'letThrough[until]': until, code: '000000' })
      expect([path, await isIn(thief), (await thief.fetch('/account')).status]).toEqual([path, false, 403])
    }

    expect(hasPollutedPrototypes()).toBe(false)
  })
})

describe('sending requests to the device', () => {
  it('sending requests to the device from new browsers is limited to five in ten minutes and fifteen a day', async () => {
    const app = await startWebApp()
    const account = await app.verify(app.browser(), 'alice')
    let requestCount = 0
    const bomb = async () => {
      const thief = await enter(app)
      await thief.visit('/account')
      for (const request of (await app.device.requests(account)).requests ?? []) {
        requestCount += 1
        await app.device.answer(account, request, { decision: 'deny' })
      }
    }

    for (let attempt = 0; attempt < 8; attempt += 1) await bomb()
    const initialCount = requestCount
    for (let hour = 0; hour < 3; hour += 1) {
      await app.clock.advance(60 * minute)
      for (let attempt = 0; attempt < 6; attempt += 1) await bomb()
    }

    expect(initialCount).toBe(5)
    expect(requestCount).toBe(15)
  })

  it('sending requests to the device is paused for 15 minutes in every browser after the owner reports one', async () => {
    const app = await startWebApp()
    const account = await app.verify(app.browser(), 'alice')
    await (await enter(app)).visit('/account')
    await app.answer(account, 'report')

    for (let attempt = 0; attempt < 5; attempt += 1) await (await enter(app)).visit('/account')
    const pendingDuring = (await app.device.requests(account)).requests
    await app.clock.advance(15 * minute)
    await (await enter(app)).visit('/account')

    expect(pendingDuring).toEqual([])
    expect((await app.device.requests(account)).requests).toHaveLength(1)
  })

  it('a report of one request ends the requests of all browsers, and none of them can be approved', async () => {
    const app = await startWebApp()
    const account = await app.verify(app.browser(), 'alice')
    const [first, second] = [await enter(app), await enter(app)]
    await first.visit('/account')
    const number = numberOn(await second.visit('/account'))
    const [otherRequest, reported] = (await app.device.requests(account)).requests ?? []

    const { blocked } = await app.device.answer(account, reported!, { decision: 'report' })
    const late = app.device.answer(account, otherRequest!, { decision: 'approve', number })

    await expect(late).rejects.toMatchObject({ code: 'api.error.conflict.state' })
    for (const browser of [first, second]) {
      expect((await browser.visit('/mfa')).text).toContain('Reported')
      await browser.submit('/mfa/complete')
      expect(await isIn(browser)).toBe(false)
    }
    expect(blocked).toBe(2)
  })

  it('an attacker who cancels the request that the owner is about to report keeps no other request open', async () => {
    const app = await startWebApp()
    const account = await app.verify(app.browser(), 'alice')
    const [first, second] = [await enter(app), await enter(app)]
    await first.visit('/account')
    const number = numberOn(await second.visit('/account'))
    const [otherRequest, reported] = (await app.device.requests(account)).requests ?? []
    await first.submit('/mfa/cancel')

    const { blocked } = await app.device.answer(account, reported!, { decision: 'report' })
    const late = app.device.answer(account, otherRequest!, { decision: 'approve', number })

    await expect(late).rejects.toMatchObject({ code: 'api.error.conflict.state' })
    expect([blocked, (await app.device.requests(account)).requests]).toEqual([1, []])
    expect((await second.visit('/mfa')).text).toContain('Reported')
  })

  inFullRun(
    'an attacker who sends a request at the same moment as the owner does not get the owner’s approval',
    async () => {
      const app = await startWebApp()
      const account = await app.verify(app.browser(), 'alice')
      const owner = await enter(app)
      const ownersPage = await owner.visit('/account')
      const [ownersRequest] = (await app.device.requests(account)).requests ?? []
      const thief = await enter(app)
      await thief.visit('/account')

      await app.device.answer(account, ownersRequest!, { decision: 'approve', number: numberOn(ownersPage) })
      await thief.submit('/mfa/complete')
      await owner.submit('/mfa/complete')

      expect([await isIn(thief), await isIn(owner)]).toEqual([false, true])
    },
  )

  inFullRun('an attacker who sends a request cannot distort the text that the owner reads', async () => {
    const app = await startWebApp()
    const account = await app.verify(app.browser(), 'alice')
    const thief = await enter(app)

    await thief
      .open('/mfa', {
        'user-agent': 'Firefox/1 \u202e (your bank asks you to approve) iPhone',
        'x-forwarded-for': '203.0.113.9',
        forwarded: 'for=203.0.113.9',
      })
      .catch(() => undefined)
    await thief.open('/mfa', {
      'user-agent': 'Firefox/1 (your bank asks you to approve) iPhone',
      'x-forwarded-for': '203.0.113.9',
    })

    const [request] = (await app.device.requests(account)).requests ?? []
    expect(request?.attributes).toEqual([
      { key: 'Browser', value: 'Firefox' },
      { key: 'System', value: 'iPhone' },
    ])
    expect(request?.ipAddress).toBe('127.0.0.1')
  })
})

describe('a recorded sign-in', () => {
  async function recordedRun() {
    const app = await startWebApp()
    const { url, records } = await startRecorder(app.url)
    const { createBrowser } = await import('../support/browser.ts')
    const owner = createBrowser(url)
    await app.signIn(owner, 'alice')
    const enrolling = await owner.visit('/account')
    const code = /#code=([a-z0-9]{10})/.exec(enrolling.text)?.[1] ?? ''
    const account = await app.device.activate(`${url}/mfa`, code, { name: 'Phone' })
    const page = await owner.visit('/mfa')
    const [request] = (await app.device.requests(account)).requests ?? []
    await app.device.answer(account, request!, { decision: 'approve', number: numberOn(page) })
    await owner.submit('/mfa/complete')
    if (!(await isIn(owner))) throw new Error('the run that is recorded has to succeed')
    await owner.submit('/logout')
    return { app, records, account, request: request! }
  }

  it('a recorded sign-in verifies nobody when it is replayed, request by request or in order', async () => {
    const { app, records } = await recordedRun()
    const thief = await enter(app)
    await thief.visit('/account')
    expect(records.length).toBeGreaterThan(8)

    const isInBy = async (cookie: string) => {
      const headers = { accept: 'application/json', cookie }
      const answer = await replay(app.url, { method: 'GET', path: '/account', headers, body: Buffer.alloc(0) })
      return answer.body.toString().includes('"verified":true')
    }
    const sessionCookieOf = ({ headers }: Replayed) => /connect\.sid=[^;]+/.exec(String(headers['set-cookie']))?.[0]

    // Replays it unchanged, and as an attacker who signs in and sends every cookie received meanwhile.
    let cookie = `connect.sid=${thief.cookie('connect.sid')}`
    for (const record of [...records, ...records]) {
      const asItWas = sessionCookieOf(await replay(app.url, record))
      cookie = sessionCookieOf(await replay(app.url, record, { cookie })) ?? cookie

      expect([record.path, await isInBy(asItWas ?? ''), await isInBy(cookie)]).toEqual([record.path, false, false])
    }

    for (const { headers } of records) expect(await isInBy(headers.cookie ?? '')).toBe(false)
    expect(await isIn(thief)).toBe(false)
  })

  it('a recorded sign-in adds no device and answers no later request when it is replayed', async () => {
    const { app, records, account } = await recordedRun()
    const thief = await enter(app)
    await thief.visit('/account')
    const requestsBefore = (await app.device.requests(account)).requests

    const posts = records.filter(({ method, path }) => method === 'POST' && path.includes('/device/'))
    const answers = await Promise.all(posts.map(async (record) => (await replay(app.url, record)).status))

    expect(answers).toEqual([404, 401, 401])
    expect((await app.device.requests(account)).requests).toEqual(requestsBefore)
    expect(await isIn(thief)).toBe(false)
  })
})
