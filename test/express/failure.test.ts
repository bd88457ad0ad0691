import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { MfaEvent, MfaOptions } from 'second-factor'
import { UnreachableError } from 'second-factor/client'
import { describe, expect, it, onTestFinished } from 'vitest'

import { SetupError } from '../../src/service-handle.ts'
import { describeInFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

const keys = { apiKey: 'k'.repeat(64), domainId: 'd'.repeat(40) }
const down = { baseUrl: 'http://127.0.0.1:9/api', ...keys }

/** A service that answers in its own way. */
async function serviceThat(answers: RequestListener) {
  const server = createServer(answers)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, ...keys }
}

/** A user who has just signed in to an app whose service fails. */
async function signedIn(mfa: Partial<MfaOptions>) {
  const events: MfaEvent[] = []
  const app = await startWebApp({ mfa: { onEvent: (event) => void events.push(event), ...mfa } })
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  return { app, browser, events }
}

const json =
  (status: number, code: string, headers = {}): RequestListener =>
  (_req, res) => {
    res.writeHead(status, { 'content-type': 'application/vnd.service.v1+json', ...headers })
    res.end(JSON.stringify({ errors: [{ code, message: 'secret detail' }] }))
  }

describeInFullRun('a service in trouble', () => {
  it.each<[string, RequestListener | undefined, string, string, string]>([
    ['down', undefined, 'unavailable', 'isn&#39;t responding', '5'],
    ['slow', () => {}, 'slow', 'is taking too long', '5'],
    [
      'talking rubbish',
      (_req, res) => void res.end('<html>welcome</html>'),
      'unavailable',
      'isn&#39;t responding',
      '5',
    ],
    ['breaking off', (req) => void req.socket.destroy(), 'unavailable', 'isn&#39;t responding', '5'],
    [
      'redirecting',
      (_req, res) => void res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
      'unavailable',
      'isn&#39;t responding',
      '5',
    ],
    ['failing', json(500, 'api.error.internal'), 'unavailable', 'isn&#39;t responding', '5'],
    ['refusing the key', json(401, 'api.error.unauthorized'), 'misconfigured', 'isn&#39;t set up', '5'],
    ['busy', json(429, 'api.error.toomanyrequests', { 'retry-after': '7' }), 'busy', 'is overloaded', '7'],
    [
      'overloaded',
      json(503, 'api.error.unavailable', { 'retry-after': '7', unprocessed: 'overload' }),
      'busy',
      'is overloaded',
      '7',
    ],
  ])(
    'a service that is %s verifies nobody, and is reported on a page and in JSON',
    async (_, answers, error, words, retryAfter) => {
      const service = answers ? await serviceThat(answers) : down
      const { app, browser, events } = await signedIn({ service, timeout: error === 'slow' ? 150 : 10_000 })

      const page = await browser.visit('/account')
      const data = await browser.fetch('/mfa')

      expect([page.status, page.headers['retry-after']]).toEqual([503, retryAfter])
      expect(page.text).toContain(words)
      expect(page.text).not.toContain('secret detail')
      expect([data.status, data.body.error]).toEqual([503, error])
      expect((await browser.fetch('/account')).status).toBe(403)
      expect(events.at(-1)).toMatchObject({ type: 'service.unavailable', reason: error })
      expect(app.trouble.join()).not.toContain(keys.apiKey)
    },
  )

  it('a script that accepts anything is told of each problem in JSON, as it is told of the second step', async () => {
    const { app, browser } = await signedIn({ service: down })
    const headers = { accept: '*/*', 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' }

    const answers = [
      await browser.send('GET', '/account', headers),
      await browser.send('GET', '/mfa', headers),
      await browser.send('GET', '/mfa/nothing', headers),
      await app.browser().send('GET', '/mfa', headers),
    ]

    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [403, 'mfa_required'],
      [503, 'unavailable'],
      [404, 'not_found'],
      [401, 'sign_in_required'],
    ])
  })

  it('a service that never answers does not block the app: all requests are answered, and other pages work', async () => {
    let requestCount = 0
    const service = await serviceThat(() => void requestCount++)
    const { app, browser } = await signedIn({ service, timeout: 150 })
    await browser.open('/account')

    const answers = await Promise.all(Array.from({ length: 100 }, () => browser.open('/mfa')))

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    expect(requestCount).toBeLessThan(20)
    expect((await app.browser().fetch('/')).status).toBe(200)
  })
})

describe('failMode', () => {
  it('failMode lets the chosen user pass the gate for five minutes, with an event, but never verified', async () => {
    const errorNames: string[] = []
    const failMode: MfaOptions['failMode'] = (_req, error) => errorNames.push(error.name) > 0
    const { app, browser, events } = await signedIn({ service: down, failMode })

    const passedPage = await browser.visit('/account?tab=2')
    expect(JSON.parse(passedPage.text)).toMatchObject({ path: '/account', verified: false })
    expect((await browser.fetch('/danger')).status).toBe(403)
    expect(events.at(-1)).toMatchObject({ type: 'gate.let_through', until: app.clock.now() + 300 })
    expect(errorNames).toEqual(['UnreachableError'])

    await app.clock.advance(300)
    expect((await browser.fetch('/account')).status).toBe(403)
  })

  it.each(['/danger', '/mfa/devices'])(
    'failMode leads nobody round and round: %s, which needs the second step, ends at the page that says why',
    async (path) => {
      const { browser } = await signedIn({ service: down, failMode: () => true })
      const statuses: number[] = []
      for (let next: string | undefined = path; next !== undefined && statuses.length < 10;) {
        const answer = await browser.open(next)
        statuses.push(answer.status)
        next = answer.headers['location']
      }

      expect(statuses).toEqual([303, 303, 303, 503])
      expect((await browser.fetch('/account')).status).toBe(200)
    },
  )

  it('failMode is not asked if no call was made, as one user could cause that with enough requests', async () => {
    const failMode = () => expect.unreachable('asked')
    const noRoom = () => Promise.reject(new UnreachableError('no_room', 'There was no room in time.'))
    const service = { routes: () => {}, connect: noRoom, close: () => Promise.resolve() }
    const { browser, events } = await signedIn({ service, failMode })

    const page = await browser.visit('/account')

    expect([page.status, page.headers['retry-after']]).toEqual([503, '5'])
    expect(page.text).toContain('is overloaded')
    expect(events.at(-1)).toMatchObject({ type: 'service.unavailable', reason: 'busy' })
  })

  it('failMode is not asked if the app is set up incorrectly: that is a 500, explained only in the log', async () => {
    const failMode = () => expect.unreachable('asked')
    const logged: string[] = []
    const logger = { info() {}, warn() {}, error: (message: string) => void logged.push(message) }
    const missing = () => Promise.reject(new SetupError('A SQLite database needs the package better-sqlite3'))
    const service = { routes: () => {}, connect: missing, close: () => Promise.resolve() }
    const { browser, events } = await signedIn({ service, failMode, logger })
    const atStart = [...logged]

    const page = await browser.visit('/account')

    expect(atStart).toEqual(['mfa: SetupError: A SQLite database needs the package better-sqlite3'])
    expect(page.status).toBe(500)
    expect(logged.at(-1)).toContain(`${atStart[0]} (request `)
    expect(events.map(({ type }) => type)).not.toContain('service.unavailable')
  })

  it('failMode lets no other user pass, not even the next one in the same web session', async () => {
    const failMode: MfaOptions['failMode'] = (req) => (req.user as { username: string }).username === 'alice'
    const { app, browser } = await signedIn({ service: down, failMode, logoutPath: '/login' })
    await browser.visit('/account')
    expect((await browser.fetch('/account')).status).toBe(200)

    await app.signIn(browser, 'bob')

    expect((await browser.fetch('/account')).status).toBe(403)
    expect((await browser.visit('/account')).status).toBe(503)
  })

  it('failMode is not asked when the service is overloaded, as an attacker could cause that with enough requests', async () => {
    const overloaded = json(503, 'api.error.unavailable', { 'retry-after': '7', unprocessed: 'overload' })
    const failMode = () => expect.unreachable('asked')

    const { browser } = await signedIn({ service: await serviceThat(overloaded), failMode })

    expect((await browser.visit('/account')).status).toBe(503)
  })

  it('failMode is not asked when the service refuses, because that is no outage', async () => {
    const service = await serviceThat(json(401, 'api.error.unauthorized'))
    const failMode = () => expect.unreachable('asked')

    const { browser } = await signedIn({ service, failMode })

    expect((await browser.visit('/account')).status).toBe(503)
  })

  it('failMode lets nobody pass when it throws', async () => {
    const failMode = () => Promise.reject(new Error('policy down'))

    const { browser } = await signedIn({ service: down, failMode })

    expect((await browser.visit('/account')).status).toBe(500)
    expect((await browser.fetch('/account')).status).toBe(403)
  })
})
