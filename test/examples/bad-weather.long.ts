import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'

import { run } from '../cli/admin/run-command.ts'
import { serve } from '../processes/command.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { startRedis } from '../support/redis-server.ts'
import { startExample } from './start-example.ts'

type Example = Awaited<ReturnType<typeof startExample>>

/** How somebody gets to the second step of an example, where it differs from a form with a password at `/login`. */
interface Way {
  readonly logIn?: (example: Example) => Promise<Browser>
  /** The page that needs a second step. */
  readonly page?: string
  readonly env?: () => Promise<NodeJS.ProcessEnv>
}

const ways: Readonly<Record<string, Way>> = {
  'minimal.js': {},
  'passport.js': {},
  'codes-only.js': {},
  'jwt-api.js': {},
  'websocket.js': {},
  'socket-io.js': {},
  'require-mfa.js': { page: '/transfer' },
  'session-stores.js': { env: async () => ({ REDIS_URL: (await startRedis()).url }) },
  'csrf-and-helmet.js': {
    async logIn(example) {
      const browser = example.browser()
      const [, token = ''] = /name="_csrf" value="([^"]+)"/.exec((await browser.open('/login')).text) ?? []
      await browser.submit('/login', { username: 'alice', password: 'secret', _csrf: token })
      return browser
    },
  },
  'magic-link.js': {
    async logIn(example) {
      const browser = example.browser()
      await browser.submit('/login', { username: 'alice' })
      const [, link = ''] = /Mail to alice@example.com: http:\/\/[^/]+(\S+)/.exec(example.stdout()) ?? []
      await browser.open(link)
      return browser
    },
  },
  'oauth-login.js': {
    async logIn(example) {
      const browser = example.browser()
      const { headers } = await browser.open('/login')
      const callback = await fetch(headers['location'] ?? '', { redirect: 'manual' })
      const { pathname, search } = new URL(callback.headers.get('location') ?? '')
      await browser.open(pathname + search)
      return browser
    },
  },
  'single-page-app.js': {
    page: '/api/me',
    async logIn({ url }) {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ username: 'alice', password: 'secret' })
      const { headers: answered } = await fetch(`${url}/api/login`, { method: 'POST', headers, body })
      const [, cookie = ''] = /^connect.sid=([^;]+)/.exec(answered.getSetCookie().join('\n')) ?? []
      return createBrowser(url, new Map([['connect.sid', cookie]]))
    },
  },
}

async function logInWithPassword(example: Example): Promise<Browser> {
  const browser = example.browser()
  await example.signIn(browser, 'alice')
  return browser
}

/** Begins a change and never ends it, so that everybody else waits for the file. */
function lock(file: string): () => void {
  const other = new Sqlite(file)
  other.exec('begin exclusive')
  return () => void other.close()
}

describe.each(Object.entries(ways))('%s in bad weather', (name, { logIn = logInWithPassword, page = '/', env }) => {
  it(`${name} says that the second step is not available while its database hangs, and goes on afterwards`, async () => {
    const example = await startExample(name, await env?.())
    const browser = await logIn(example)
    const unlock = lock(join(example.folder, 'mfa.sqlite'))
    onTestFinished(unlock)

    const during = await browser.visit('/mfa')
    const guarded = await browser.open(page)
    unlock()
    const after = await browser.visit('/mfa')

    expect([during.status, during.headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)])
    expect(guarded.status).not.toBe(200)
    expect([after.status, after.path]).toEqual([200, expect.stringMatching(/^\/mfa(\?use=|\/enroll)/)])
  })
})

describe('hosted-service.js in bad weather', () => {
  it('hosted-service.js says that the second step is not available while its service is dead, and signs in after its restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'service-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const database = join(folder, 'mfa.sqlite')
    const { apiKey, domainId } = (await run('init', '--database', database, '--json')).json
    const service = await serve(database)
    onTestFinished(service.kill)
    const { origin } = service
    const names = { MFA_BASE_URL: `${origin}/api`, MFA_AUTHENTICATOR_URL: origin }
    const example = await startExample('hosted-service.js', { ...names, MFA_API_KEY: apiKey, MFA_DOMAIN_ID: domainId })
    const [alice, bob] = [example.browser(), example.browser()]
    await example.signIn(alice, 'alice')
    await example.passSecondStep(alice, '/', origin)
    await example.signIn(bob, 'bob')
    await bob.visit('/mfa')

    service.kill()
    await service.ended
    const during = [(await bob.visit('/mfa')).status, (await alice.open('/')).status]
    const again = await serve(database, {}, ['--port', new URL(origin).port])
    onTestFinished(again.kill)
    await example.passSecondStep(bob, '/mfa', origin)

    expect(during).toEqual([503, 200])
    expect((await bob.open('/')).text).toContain('Hello, Bob')
  })
})
