import express from 'express'
import { MfaStrategy } from 'second-factor/passport'
import { describe, expect, it } from 'vitest'

import { addMember } from '../support/added-member.ts'
import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

const [day, month] = [86_400_000, 30 * 86_400_000]

/** An app whose login sets how long the browser keeps the cookie of the web session; `usual` is what it sets for everyone. */
async function startApp(usual: number | undefined, choose: (cookie: { maxAge?: number; expires?: unknown }) => void) {
  const app = await startWebApp({
    session: { cookie: { maxAge: usual } },
    mfa: { public: ['/login', '/choice', '/second-step'] },
    routes(routes, passport) {
      passport.use(new MfaStrategy())
      routes.post('/choice', (req, res) => {
        choose(req.session.cookie as { maxAge?: number; expires?: unknown })
        Object.assign(req.session, { hasChosen: true })
        res.sendStatus(204)
      })
      routes.post(
        '/second-step',
        express.urlencoded({ extended: false }),
        passport.authenticate('mfa', { successRedirect: '/' }),
      )
    },
  })
  const { client, id } = await addMember(app.service, 'alice')
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  await browser.submit('/choice')
  await browser.visit('/account')
  const { code = '' } = await client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
  return { browser, code }
}

describe('the lifetime of the cookie of the web session', () => {
  it.each(['/mfa/code', '/second-step'])(
    'a user who wants to be remembered still is after the second step: %s',
    async (path) => {
      const { browser, code } = await startApp(undefined, (cookie) => Object.assign(cookie, { maxAge: month }))

      const { cookies } = await browser.submit(path, { code })

      const expiry = Date.parse(/connect\.sid=.*Expires=([^;]+)/.exec(cookies.join('\n'))?.[1] ?? '')
      expect(expiry - Date.now()).toBeGreaterThan(month - day)
      expect((await browser.fetch('/account')).body.verified).toBe(true)
    },
  )

  inFullRun.each([
    ['/mfa/code', false],
    ['/mfa/code', null],
    ['/second-step', false],
    ['/second-step', null],
  ])('a user who wants not to be remembered is not after the second step either: %s, %s', async (path, expires) => {
    const { browser, code } = await startApp(month, (cookie) => Object.assign(cookie, { expires }))

    const { cookies } = await browser.submit(path, { code })

    const line = cookies.find((cookie) => cookie.startsWith('connect.sid='))
    expect(line).toBeDefined()
    expect(line).not.toContain('Expires')
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })
})
