import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import type { AppRequest } from 'second-factor'
import { embedded } from 'second-factor/service'
import { build, createServer as createViteServer } from 'vite'
import type { InlineConfig } from 'vite'
import { describe, expect, it, onTestFinished } from 'vitest'

import { phoneOptions } from '../authenticator/phone.ts'
import { activate, numberOn, signIn, typeNumber } from '../story/person.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { createForwardingServer } from '../support/forwarding-server.ts'
import { listen } from '../support/listen.ts'

const chromium = await sharedChromium()

/** What serves the page: it forwards the paths to the API, and shows the page for all others. @returns its address. */
type Front = (api: string, forwarded: readonly string[], router: boolean) => Promise<string>

// Either answers each path with the page, so one front is enough for each kind of page.
describe.each<[string, Front, boolean]>([
  ["Vite's dev server", startVite, false],
  ['a server of files such as nginx', startFiles, true],
])('a single-page app behind %s', (_, front, router) => {
  it('a single-page app leads over the second step and back where /api and /mfa are forwarded', async () => {
    const { page, phone, url } = await open(front, ['/api', '/mfa'])
    await page.goto(`${url}/orders?year=2026#newest`)
    await signIn(page, 'alice')
    const authenticator = await activate(phone, page)
    await page.locator('#number').waitFor()
    await authenticator.getByText('Sign in to').waitFor()
    await typeNumber(authenticator, await numberOn(page))

    await authenticator.getByRole('button', { name: 'Approve' }).click()

    await page.getByRole('heading', { name: 'Orders: 7' }).waitFor()
    expect(page.url()).toBe(`${url}/orders?year=2026#newest`)
  })

  it(`a single-page app does not go in circles where /mfa is not forwarded, and says so (router: ${router})`, async () => {
    const { page, url, requestCount } = await open(front, ['/api'], router)
    await page.goto(`${url}/orders`)
    await signIn(page, 'alice')

    await page.getByRole('heading', { name: 'does not forward /mfa to mfa()' }).waitFor()

    expect(requestCount()).toBeLessThanOrEqual(3)
  })
})

/** The app behind such a front, one browser for it, and one that stands for the phone. */
async function open(front: Front, forwarded: readonly string[], router = false) {
  const { app, service, requestCount } = createApi()
  const url = await front(await listen(app), forwarded, router)
  onTestFinished(() => service.close())
  return { url, page: await keptPage(chromium), phone: await keptPage(chromium, phoneOptions), requestCount }
}

function createApi() {
  const service = embedded({ database: ':memory:' })
  const app = express()
  let requestCount = 0
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
  app.post('/api/login', express.urlencoded({ extended: false }), (req, res) => {
    Object.assign(req.session, { username: req.body.username })
    res.json({})
  })
  app.use('/api/orders', (_req, _res, next) => {
    requestCount += 1
    next()
  })
  app.use(mfa({ service, user: userOf, provision: true, recoveryCodes: false }))
  app.get('/api/orders', (req, res) => (userOf(req) ? res.json({ orders: 7 }) : res.status(401).json({})))
  return { app, service, requestCount: () => requestCount }
}

function userOf({ session: webSession }: AppRequest) {
  const { username } = (webSession ?? {}) as { username?: string }
  return username === undefined ? undefined : { username, email: `${username}@example.com` }
}

const configOf = (router: boolean): InlineConfig => ({
  configFile: false,
  logLevel: 'silent',
  root: fileURLToPath(new URL('single-page', import.meta.url)),
  define: { ROUTER: String(router) },
  resolve: {
    alias: { 'second-factor/browser': fileURLToPath(new URL('../../src/browser/index.ts', import.meta.url)) },
  },
})

async function startVite(api: string, forwarded: readonly string[], router: boolean): Promise<string> {
  const proxy = Object.fromEntries(forwarded.map((path) => [path, api]))
  const vite = await createViteServer({
    ...configOf(router),
    cacheDir: await scratch(),
    server: { port: 0, host: '127.0.0.1', proxy, ws: false },
  })
  onTestFinished(() => vite.close())
  await vite.listen()
  return new URL(vite.resolvedUrls?.local[0] ?? '').origin
}

async function startFiles(api: string, forwarded: readonly string[], router: boolean): Promise<string> {
  const outDir = await scratch()
  await build({ ...configOf(router), build: { outDir, emptyOutDir: true } })
  return listen(createForwardingServer({ folder: outDir, to: api, forwarded: new RegExp(`^(${forwarded.join('|')})`) }))
}

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'second-factor-page-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}
