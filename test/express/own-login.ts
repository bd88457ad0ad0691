import express from 'express'
import session from 'express-session'
import { forgetMfa, mfa } from 'second-factor'
import { startTestService } from 'second-factor/testing'
import { onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { listen } from '../support/listen.ts'

interface Given {
  readonly store?: session.Store
  readonly webSession?: express.RequestHandler
}

/** An app without Passport: it keeps its login in the web session, never changes the id of that session, and has routes before mfa(). */
export async function startOwnLoginApp({ store, webSession }: Given = {}) {
  const service = await startTestService()
  const app = express()
  let next: ((req: express.Request) => void) | undefined
  app.use(webSession ?? session({ secret: 'test', resave: false, saveUninitialized: false, ...(store && { store }) }))
  app.use((req, _res, goOn) => {
    next?.(req)
    next = undefined
    goOn()
  })
  app.post('/early/login', (req, res) => {
    Object.assign(req.session, { username: req.query['as'] ?? 'alice', basket: ['a book'] })
    res.sendStatus(204)
  })
  app.post('/early/logout', (req, res, goOn) => {
    Reflect.deleteProperty(req.session, 'username')
    const forgotten = req.query['forget'] === 'yes' ? forgetMfa(req) : Promise.resolve()
    forgotten.then(() => res.sendStatus(204), goOn)
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
  app.post('/late/logout', (req, res, goOn) => {
    Reflect.deleteProperty(req.session, 'username')
    req.mfa?.forget().then(() => res.sendStatus(204), goOn)
  })
  const beginning = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  app.get('/stream', (_req, res) => {
    res.write('begun')
    beginning.resolve()
    void ended.promise.then(() => res.end())
  })
  app.use((req, res) => void res.json({ verified: req.mfa?.verified !== undefined }))
  const url = await listen(app)
  onTestFinished(() => service.close())
  const device = await service.enroll('alice')

  /** A user who has passed the second step. */
  async function verified() {
    const browser = createBrowser(url)
    await browser.submit('/early/login')
    await browser.visit('/account')
    await device.approve()
    await browser.submit('/mfa/complete')
    return browser
  }

  return {
    verified,
    browser: () => createBrowser(url),
    onNextRequest: (call: (req: express.Request) => void) => void (next = call),
    streaming: beginning.promise,
    endStream: () => ended.resolve(),
  }
}
