import express5 from 'express'
import type { ErrorRequestHandler, Request, Response } from 'express'
import express4 from 'express4'
import session, { MemoryStore } from 'express-session'
import { mfa } from 'second-factor'
import type { MfaEvent } from 'second-factor'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'

interface WithUser {
  username?: string
}

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('a store that has lost its database, in %s', (_name, express) => {
  /** An app whose own login keeps the user in the web session. */
  async function arrange() {
    const store = new MemoryStore()
    const service = await startTestService()
    onTestFinished(() => service.close())
    const events: MfaEvent[] = []
    const trouble: string[] = []
    const errors: unknown[] = []
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: false, store }))
    app.post('/login', (req, res) => {
      Object.assign(req.session, { username: 'alice' })
      res.sendStatus(204)
    })
    app.use(
      mfa({
        service,
        clock: service.clock,
        user: (req) => {
          const { username } = req.session as WithUser
          return username === undefined ? null : { username }
        },
        public: ['/'],
        onEvent: (event) => void events.push(event),
        logger: { info() {}, warn() {}, error: (message) => void trouble.push(message) },
      }),
    )
    app.use((req, res) => void res.json({ path: req.path, verified: req.mfa?.verified !== undefined }))
    const noteError: ErrorRequestHandler = (error, _req, _res, next) => {
      errors.push(error)
      next(error)
    }
    app.use(noteError)
    const url = await listen(app)
    const browser = createBrowser(url)
    await service.enroll('alice')
    await browser.submit('/login')
    return { url, store, service, browser, events, trouble, errors }
  }

  inFullRun(
    'a store that says it is disconnected has the pages of mfa() answer 503, and is named in the log',
    async () => {
      const { store, browser, events, trouble } = await arrange()
      await browser.visit('/account')
      store.emit('disconnect')

      const page = await browser.open('/mfa')
      const data = await browser.fetch('/mfa/devices')
      const posted = await browser.submit('/mfa/code', { code: '000000' })

      expect([page.status, page.headers['retry-after']]).toEqual([503, '5'])
      expect(page.headers['content-type']).toContain('text/html')
      expect([data.status, data.body]).toEqual([503, expect.objectContaining({ error: 'not_stored' })])
      expect(posted.status).toBe(503)
      expect(trouble.at(-1)).toContain('The store of web sessions has emitted "disconnect"')
      expect(events.at(-1)).toMatchObject({ type: 'service.unavailable', reason: 'not_stored' })
    },
  )

  inFullRun(
    'a store that says it is disconnected lets no request reach the app, which gets an error with status 503',
    async () => {
      const { url, store, browser, errors } = await arrange()
      await browser.visit('/account')
      store.emit('disconnect')

      const answers = [await browser.open('/account'), await createBrowser(url).open('/')]

      expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
        [503, '5'],
        [503, '5'],
      ])
      expect(errors).toEqual([expect.objectContaining({ status: 503 }), expect.objectContaining({ status: 503 })])
    },
  )

  inFullRun('a store that is connected again has its users go on where they were', async () => {
    const { store, browser } = await arrange()
    const before = await browser.visit('/account')
    store.emit('disconnect')
    await browser.open('/account')

    store.emit('connect')

    const after = await browser.visit('/account')
    expect([after.status, after.path]).toEqual([200, '/mfa'])
    expect(/id="number">(\d+)</.exec(after.text)?.[1]).toBe(/id="number">(\d+)</.exec(before.text)?.[1])
  })

  it('a request without a web session gets the advice about the setup while its store is connected', async () => {
    const app = express()
    const elsewhere = session({
      secret: 'test',
      resave: false,
      saveUninitialized: false,
      cookie: { path: '/elsewhere' },
    })
    const service = await startTestService()
    onTestFinished(() => service.close())
    app.use(elsewhere, mfa({ service, user: () => null, logger: { info() {}, warn() {}, error() {} } }))
    const failed: ErrorRequestHandler = (error, _req, res, _next) => void res.status(500).send(String(error))
    app.use((_req: Request, res: Response) => void res.send('in'), failed)
    const browser = createBrowser(await listen(app))

    const answers = [await browser.open('/elsewhere'), await browser.open('/')]

    expect(answers.map(({ text }) => text)).toEqual(['in', expect.stringContaining('mfa() found no web session')])
  })
})
