import express from 'express'
import { requireMfa } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'
import type { WebAppOptions } from '../support/web-app.ts'

const fields = { username: 'alice', password: 'secret' }

/** An app with further logins on its routes, and what its log says of them. */
async function arrange(options: WebAppOptions['mfa'] = {}) {
  const warnings: string[] = []
  const app = await startWebApp({
    mfa: { logger: { info() {}, error() {}, warn: (message) => void warnings.push(message) }, ...options },
    routes(routes, passport) {
      const form = express.urlencoded({ extended: false })
      const once = passport.authenticate('local', { session: false })
      const lasting = passport.authenticate('local')
      routes.post('/api/once', form, once, (_req, res) => res.json({ secret: 1 }))
      routes.post('/api/once/moved', form, once, (_req, res) => res.redirect(303, '/api'))
      routes.post('/api/lasting', form, lasting, (_req, res) => res.json({ secret: 1 }))
      routes.post('/api/guarded', form, once, requireMfa(), (_req, res) => res.json({ secret: 1 }))
      routes.get('/api/token', (req, res) => {
        Object.assign(req, { user: { username: 'alice' } })
        res.json({ secret: 1 })
      })
    },
  })
  return { app, warnings }
}

describe('a user who appears after mfa() ran', () => {
  it.each(['/api/once', '/api/once/moved', '/api/lasting'])(
    'mfa() warns once of a user set after it ran, naming the route that answered by password alone: POST %s',
    async (path) => {
      const { app, warnings } = await arrange()
      const browser = app.browser()

      await browser.submit(path, fields)
      await app.browser().submit(path, fields)

      expect(warnings).toEqual([expect.stringContaining(`POST ${path}: a user signed in after mfa() ran`)])
    },
  )

  it('mfa() logs a warning for a user who appears after it ran, whatever set the user', async () => {
    const { app, warnings } = await arrange()

    await app.browser().fetch('/api/token')

    expect(warnings).toEqual([expect.stringContaining('GET /api/token: a user signed in after mfa() ran')])
  })

  it('mfa() logs a warning for a user who appears after it ran if another user is signed in already', async () => {
    const { app, warnings } = await arrange()
    const browser = app.browser()
    await app.verify(browser, 'bob')

    await browser.submit('/api/once', fields)

    expect(warnings).toEqual([expect.stringContaining('POST /api/once')])
  })

  inFullRun('mfa() logs no warning if the verified user enters the password again', async () => {
    const { app, warnings } = await arrange()
    const browser = app.browser()
    await app.verify(browser, 'alice')

    const { status } = await browser.submit('/api/once', fields)

    expect([status, warnings]).toEqual([200, []])
  })

  inFullRun(
    'mfa() logs no warning for a later user at a redirecting login, at a guarded route, or without the gate',
    async () => {
      const { app, warnings } = await arrange()
      await app.signIn(app.browser(), 'alice')
      const guarded = await app.browser().submit('/api/guarded', fields)
      const open = await arrange({ gate: false })
      await open.app.browser().submit('/api/once', fields)

      expect(guarded.status).toBe(403)
      expect([...warnings, ...open.warnings]).toEqual([])
    },
  )
})
