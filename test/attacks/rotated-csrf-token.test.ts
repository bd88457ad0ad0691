import { createHmac, randomBytes } from 'node:crypto'

import express from 'express'
import type { RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** As csrf-sync does: a random token in the web session. */
const inSession: RequestHandler = (req, res, next) => {
  const sessionData = req.session as { csrf?: string }
  sessionData.csrf ??= randomBytes(16).toString('hex')
  guard(sessionData.csrf, req, res, next)
}

/** As csrf-csrf does: a token made from the id of the web session. */
const ofId: RequestHandler = (req, res, next) => {
  guard(createHmac('sha256', 'secret').update(req.sessionID).digest('hex'), req, res, next)
}

function guard(...[token, req, res, next]: [string, ...Parameters<RequestHandler>]): void {
  if (req.method === 'GET') res.locals['csrf'] = token
  else if (req.get('x-csrf-token') !== token) return void res.status(403).send('csrf')
  next()
}

/** An app whose forms carry such a token; mfa() is before it, as its own forms have no need of one. */
function startShop(csrf: RequestHandler) {
  return startWebApp({
    routes(app) {
      app.use(express.urlencoded({ extended: false }))
      app.use(csrf)
      app.get('/form', (_req, res) => void res.send(`token=${res.locals['csrf']}`))
      app.post('/form', (_req, res) => void res.send('taken'))
    },
  })
}

/** A user with an open form, before and after a step-up changes the id of the web session. */
async function rotate(csrf: RequestHandler) {
  const app = await startShop(csrf)
  const browser = app.browser()
  const account = await app.verify(browser, 'alice')
  const read = async () => (await browser.open('/form')).text.replace('token=', '')
  const send = async (token: string) => (await browser.submit('/form', {}, { 'x-csrf-token': token })).text
  const oldToken = await read()
  expect(await send(oldToken)).toBe('taken')
  await app.clock.advance(300)
  await app.answer(account, 'approve', numberOn(await browser.visit('/danger')))
  await browser.submit('/mfa/complete')
  expect((await browser.open('/danger')).text).toBe('danger')
  return { oldToken, read, send }
}

describe('a CSRF token after rotation', () => {
  it('a CSRF token in the web session stays valid after rotation, so an open form can be sent', async () => {
    const { oldToken, read, send } = await rotate(inSession)

    expect(await send(oldToken)).toBe('taken')
    expect(await read()).toBe(oldToken)
  })

  inFullRun(
    'a CSRF token derived from the web session id ends with that id, and the next page has a valid one',
    async () => {
      const { oldToken, read, send } = await rotate(ofId)

      expect(await send(oldToken)).toBe('csrf')
      expect(await send(await read())).toBe('taken')
    },
  )
})
