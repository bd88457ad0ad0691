import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'

import compression from 'compression'
import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** An app with something in front of mfa(). */
async function arrange(middleware: express.RequestHandler[] = [], store?: session.Store) {
  const service = await startTestService()
  const app = express()
  for (const handler of middleware) app.use(handler)
  app.use(session({ secret: 'test', resave: true, saveUninitialized: false, ...(store && { store }) }))
  app.post('/login/:username', (req, res) => {
    Object.assign(req.session, { username: req.params.username })
    res.sendStatus(204)
  })
  app.use(mfa({ service, user: (req) => userOf(req.session) }))
  app.use((req, res) => void res.json({ verified: req.mfa?.verified !== undefined }))
  const url = await listen(app)
  onTestFinished(() => service.close())
  const browser = createBrowser(url)
  const device = await service.enroll('alice')
  await browser.submit('/login/alice')
  await browser.visit('/account')
  return { url, browser, device, cookie: browser.cookies() }
}

function userOf(webSession: unknown) {
  const { username } = webSession as { username?: string }
  return username === undefined ? null : { username }
}

/** Opens the event stream as a browser does; `next` is what arrives next, as text. */
async function openStream(url: string, cookie: string) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(
      `${url}/mfa/events`,
      { headers: { cookie, accept: 'text/event-stream', 'accept-encoding': 'gzip' } },
      resolve,
    )
      .on('error', reject)
      .end()
  })
  const body = answer.headers['content-encoding'] === 'gzip' ? answer.pipe(createGunzip()) : answer
  const chunks = body[Symbol.asyncIterator]()
  return { answer, next: async () => String((await chunks.next()).value ?? '') }
}

describe('the event stream of a challenge', () => {
  inFullRun.each([
    ['plainly', []],
    ['through the compression middleware', [compression({ threshold: 0 })]],
  ])(
    'the event stream of a challenge opens at once %s, and reports at once that the challenge is settled',
    async (_, middleware) => {
      const { url, device, cookie } = await arrange(middleware)

      const { answer, next } = await openStream(url, cookie)
      expect(await next()).toContain('event: hello')
      await device.approve()

      expect(await next()).toBe('event: change\ndata: settled\n\n')
      expect(answer.headers['cache-control']).toBe('no-store, no-transform')
      expect(answer.headers['x-accel-buffering']).toBe('no')
      expect(answer.headers['set-cookie']).toBeUndefined()
    },
  )

  inFullRun(
    'the event stream of a challenge reports a denial like an approval: the server tells the page what it means',
    async () => {
      const { url, device, cookie } = await arrange()
      const { next } = await openStream(url, cookie)
      await next()

      await device.deny()

      expect(await next()).toBe('event: change\ndata: settled\n\n')
    },
  )

  inFullRun('the event stream of a challenge sends heartbeats, so that no proxy closes it', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    await app.enroll(browser, 'alice')
    const { next } = await openStream(app.url, browser.cookies())
    await next()

    await app.clock.advance(25)

    expect(await next()).toBe('event: beat\ndata: \n\n')
  })

  it('the event stream of a challenge requires a signed-in user', async () => {
    const app = await startWebApp()

    expect((await app.browser().fetch('/mfa/events')).status).toBe(401)
  })

  inFullRun('the event stream of a challenge ends with its reader, and nothing keeps waiting', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    const { answer, next } = await openStream(app.url, browser.cookies())
    await next()

    answer.destroy()
    await app.answer(account, 'approve', numberOn(page))

    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/account')
    expect(app.trouble).toEqual([])
  })
})

describeInFullRun('a session store that is slow', () => {
  it('with a slow session store, a late status answer does not undo what was saved in the meantime', async () => {
    const store = new session.MemoryStore()
    const set = store.set.bind(store)
    store.set = (id, data, done) => void setImmediate(() => setImmediate(() => set(id, data, done)))
    const { browser, device } = await arrange([], store)
    const late = browser.copy().fetch('/mfa/status')

    await device.approve()
    await browser.submit('/mfa/complete')
    await late

    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })
})
