import { AsyncResource } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import express from 'express'
import type { MfaEvent } from 'second-factor'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { MfaStrategy } from '../../src/passport/index.ts'
import { entriesOf, openDatabase } from '../service/engine/audit/recorded.ts'
import { startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { startWebApp } from '../support/web-app.ts'
import type { WebAppOptions } from '../support/web-app.ts'

let folder: string
let running: Running
const events: MfaEvent[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-request-id-'))
  running = await startService({ database: databaseFile(), logRequests: true })
})
afterAll(async () => {
  await running.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  events.length = 0
  running.logged.length = 0
})

const databaseFile = () => join(folder, 'mfa.sqlite')

/** The newest entry of the audit trail about something. */
async function newestEntry(event: string) {
  const opened = await openDatabase(databaseFile())
  const entries = await entriesOf(opened.ctx.store.db)
  await opened.close()
  return entries.findLast((entry) => entry.event === event)
}

/** An app in front of the service, which it asks over HTTP. */
function startFront(options: WebAppOptions = {}) {
  const service = { baseUrl: `${running.origin}/api`, apiKey: running.apiKey, domainId: running.domain.id }
  return startWebApp({
    trustProxy: 'loopback',
    ...options,
    mfa: { service, onEvent: (event) => void events.push(event), ...options.mfa },
  })
}

let people = 0

/** A signed-in user with a device, which the app has not asked yet. */
async function startSignIn(options: WebAppOptions = {}) {
  const username = `person-${(people += 1)}`
  await running.enroll(username)
  const app = await startFront(options)
  const browser = app.browser()
  await app.signIn(browser, username)
  await browser.open('/account')
  return { app, browser }
}

const idsInLog = (operation: string) =>
  running.logged
    .filter(({ details }) => Reflect.get(details, 'operation') === operation)
    .map(({ details }): unknown => Reflect.get(details, 'requestId'))

describe('the id of a request to the app', () => {
  it('the id of a request to the app is the same in the app’s events, the service’s log and audit trail', async () => {
    const { browser } = await startSignIn()

    await browser.open('/mfa', { 'x-request-id': 'proxy-4711' })

    const pushEvent = events.find(({ type }) => type === 'push.sent')
    expect(pushEvent?.requestId).toBe('proxy-4711')
    expect(idsInLog('createSession')).toEqual(['proxy-4711'])
    expect((await newestEntry('session.created'))?.requestId).toBe('proxy-4711')
  })

  it.each([
    ['from a browser without a proxy', { trustProxy: undefined }, 'proxy-4711'],
    ['that is too long', {}, 'x'.repeat(65)],
    ['that could forge a line of a log', {}, '"} {"level":60'],
    ['in the form of an API key', {}, 'Zq9'.repeat(21) + 'x'],
  ])('the id of a request to the app is replaced when it comes %s', async (_what, options, invalidId) => {
    const { browser } = await startSignIn(options)

    await browser.open('/mfa', { 'x-request-id': invalidId })

    const [id] = idsInLog('createSession')
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(events.find(({ type }) => type === 'push.sent')?.requestId).toBe(id)
  })

  it('the id of a request to the app is in the log lines of the app', async () => {
    const service = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'k'.repeat(64), domainId: 'd' }
    const app = await startFront({ mfa: { service } })
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    await browser.open('/mfa', { 'x-request-id': 'proxy-4712' })

    expect(app.trouble.join()).toContain('(request proxy-4712)')
  })

  it('the id of a request to the app reaches the service even if other middleware loses the async context', async () => {
    const outsideResource = new AsyncResource('outside of any request')
    const { browser } = await startSignIn({
      mfa: { gate: false },
      routes: (app, passport) => {
        passport.use(new MfaStrategy())
        app.post(
          '/code',
          express.urlencoded({ extended: false }),
          (_req, _res, next) => outsideResource.runInAsyncScope(next),
          passport.authenticate('mfa'),
          (_req, res) => void res.end(),
        )
      },
    })
    running.logged.length = 0

    await browser.submit('/code', { code: '000000' }, { 'x-request-id': 'proxy-4713' })

    expect(idsInLog('createSession')).toEqual(['proxy-4713'])
  })
})
