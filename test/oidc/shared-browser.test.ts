import { createServer } from 'node:http'

import express from 'express'
import session from 'express-session'
import { oidc } from 'second-factor/oidc'
import { embedded } from 'second-factor/service'
import { describe, expect, it, onTestFinished } from 'vitest'

import { systemClock } from '../../src/ground/clock.ts'
import { inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'
import { ask, startProvider } from './start-provider.ts'
import type { OidcOptions } from '../../src/oidc/options.ts'

async function start(options: Partial<OidcOptions> = {}) {
  const provider = await startProvider(options)
  onTestFinished(() => provider.close())
  return { provider, config: await provider.configure(provider.external) }
}

describe('a browser that others use as well', () => {
  it('a browser that others use as well asks nothing of a person whom a client named a while ago', async () => {
    let moved = 0
    const { provider, config } = await start({ clock: { ...systemClock, now: () => systemClock.now() + moved } })
    const { account } = await provider.enroll('ada')
    const browser = provider.browser()
    await ask(config, browser, { login_hint: 'ada' })
    await browser.submit(`${provider.pages('external')}/cancel`)
    moved = 16 * 60

    const { page } = await browser.visit(provider.pages('external'))

    expect(page.status).toBe(401)
    await expect(provider.answer(account, 'approve')).rejects.toThrow('nothing is pending')
  })

  inFullRun(
    'a browser that others use as well lets a person without a factor set one up whom the client has just named',
    async () => {
      const { provider, config } = await start()
      await provider.addUser('bea')

      const { page } = await ask(config, provider.browser(), { login_hint: 'bea' })

      expect(page.text).toContain('My phone')
    },
  )

  inFullRun(
    'a browser that others use as well sets up nothing for a person without a factor where the administrator hands out codes',
    async () => {
      const { provider, config } = await start({ selfEnrollment: false })
      await provider.addUser('cyd')

      const { page } = await ask(config, provider.browser(), { login_hint: 'cyd' })

      expect(page.text).not.toContain('My phone')
    },
  )

  inFullRun(
    'a browser that others use as well has one session for each kind of client, so that a name typed for one is not vouched for in the other',
    async () => {
      const { provider, config } = await start()
      const { account } = await provider.enroll('dan')
      const browser = provider.browser()
      const { page } = await ask(config, browser, { login_hint: 'dan' })
      await provider.approve(browser, account, page)

      const { page: other } = await browser.visit(provider.pages('sign-in'))

      expect(other.status).toBe(401)
    },
  )
})

describe('oidc() in an app', () => {
  async function app(order: 'before' | 'after') {
    const service = embedded({ database: ':memory:' })
    const provider = oidc({ service, issuer: 'http://localhost:3000', logger: { info() {}, warn() {}, error() {} } })
    onTestFinished(async () => {
      provider.close()
      await service.close()
    })
    const web = express()
    const sessions = session({ secret: 'test', resave: false, saveUninitialized: false })
    for (const handler of order === 'before' ? [provider, sessions] : [sessions, provider]) web.use(handler)
    web.use((_req, res) => void res.send('app'))
    web.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
      res.status(500).send(error.message)
    })
    return listen(createServer(web).listeners('request')[0] as never)
  }

  inFullRun('oidc() in an app answers its own addresses, and leaves the others to the app', async () => {
    const url = await app('before')

    const metadata = await fetch(`${url}/.well-known/openid-configuration`)
    const page = await fetch(`${url}/`)
    const similar = await fetch(`${url}/oidc-client`)

    expect([metadata.status, await page.text(), await similar.text()]).toEqual([200, 'app', 'app'])
  })

  it('oidc() in an app says where it belongs if it comes after the web session of the app', async () => {
    const url = await app('after')

    const answer = await fetch(`${url}/oidc/jwks`)

    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('put app.use(oidc(…)) before')])
  })

  it.each([
    ['http://id.example', 'must be https'],
    ['https://id.example/', 'must be https, with nothing after its path'],
    ['https://id.example?x=1', 'must be https, with nothing after its path'],
    ['id.example', 'must be an address such as https://id.example'],
  ])('oidc() in an app rejects the issuer %s', (issuer, message) => {
    const service = embedded({ database: ':memory:' })

    expect(() => oidc({ service, issuer })).toThrow(message)
  })
})
