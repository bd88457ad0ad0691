import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Page } from 'playwright-core'
import { build, createServer } from 'vite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { root } from '../../scripts/run.ts'
import { phoneOptions } from '../authenticator/phone.ts'
import { activate, numberOn, signIn, typeNumber } from '../story/person.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { createForwardingServer } from '../support/forwarding-server.ts'
import { listen } from '../support/listen.ts'
import { startExample } from './start-example.ts'

const pageFolder = join(root, 'examples/single-page-app')

const chromium = await sharedChromium()

describe('single-page-app.js', () => {
  it.each<[string, (app: string) => Promise<string>]>([
    ['served by Express', (app) => Promise.resolve(app)],
    ["behind Vite's dev server", startVite],
    ['built, behind nginx', startNginx],
  ])('opens the second step and returns to the view of the user, %s', async (_, front) => {
    const example = await startExample('single-page-app.js')
    const url = await front(example.url)
    const { page, phone } = await open()

    await page.goto(`${url}/#/orders`)
    await signIn(page, 'alice', 'secret')
    await passSecondStep(page, phone)

    await page.getByRole('heading', { name: 'Orders of Alice' }).waitFor()
    expect(page.url()).toBe(`${url}/#/orders`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})

describe('with-a-router.js', () => {
  const [login, wanted] = [{ path: '/login' }, { path: '/settings', fullPath: '/settings?tab=2' }]

  it('redirects to the login, and after the second step to the requested view', async () => {
    const { page, phone, url } = await openWithRouter()

    expect(await callInPage(page, 'requireLogin', login)).toBe(true)
    expect(await callInPage(page, 'requireLogin', wanted)).toEqual({ path: '/login', query: { next: wanted.fullPath } })
    await logIn(page, url)
    void callInPage(page, 'requireLogin', wanted).catch(() => {}) // the page ends before the call does
    await passSecondStep(page, phone)
    await page.getByRole('heading', { name: 'Reports of Alice' }).waitFor()

    expect(page.url()).toBe(url + wanted.fullPath)
    expect(await callInPage(page, 'requireLogin', wanted)).toBe(true)
    expect(await callInPage(page, 'api', '/api/me')).toMatchObject({ username: 'alice' })
  })

  it('opens the second step after an error of axios', async () => {
    const { page, url } = await openWithRouter()
    const data = { error: 'mfa_required', challenge: '/mfa' }
    await logIn(page, url)

    const other = callInPage(page, 'handleAxiosError', { response: { status: 404 } })
    expect(await other.catch(() => 'thrown again')).toBe('thrown again')
    void callInPage(page, 'handleAxiosError', { response: { status: 403, data } }).catch(() => {})

    await page.waitForURL(`${url}/mfa`)
  })
})

/** A browser, and another one that stands for the phone. */
async function open() {
  return { page: await keptPage(chromium), phone: await keptPage(chromium, phoneOptions) }
}

async function passSecondStep(page: Page, phone: Page): Promise<void> {
  const authenticator = await activate(phone, page)
  await page.locator('#number').waitFor()
  await typeNumber(authenticator, await numberOn(page))
  await authenticator.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Not now' }).click()
}

/** A login view that does nothing by itself, at the address that a router would give it. */
async function openWithRouter() {
  const url = await startVite((await startExample('single-page-app.js')).url)
  const { page, phone } = await open()
  await page.route(`${url}/login`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Login</h1>' }))
  await page.goto(`${url}/login`)
  return { page, phone, url }
}

const logIn = (page: Page, url: string) =>
  page.request.post(`${url}/api/login`, { data: { username: 'alice', password: 'secret' } })

/** As text: vitest would rewrite an `import()` in a function. */
const callInPage = (page: Page, name: string, argument: unknown): Promise<unknown> =>
  page.evaluate(`import('/with-a-router.js').then((module) => module.${name}(${JSON.stringify(argument)}))`)

/** Vite with the example's own configuration. @returns its address. */
async function startVite(app: string): Promise<string> {
  vi.stubEnv('APP', app)
  onTestFinished(() => void vi.unstubAllEnvs())
  const cacheDir = await mkdtemp(join(tmpdir(), 'vite-'))
  const vite = await createServer({
    root: pageFolder,
    cacheDir,
    logLevel: 'silent',
    server: { port: 0, host: 'localhost', ws: false },
  })
  onTestFinished(async () => {
    await vite.close()
    await rm(cacheDir, { recursive: true })
  })
  await vite.listen()
  const [address = ''] = vite.resolvedUrls?.local ?? []
  return address.replace(/\/$/, '')
}

/** The page as Vite builds it, behind a server that does what the example's nginx configuration says. @returns its address. */
async function startNginx(app: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'built-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await build({ root: pageFolder, configFile: false, logLevel: 'silent', build: { outDir: folder, target: 'esnext' } })
  const { forwarded, headers } = readNginx(await readFile(join(pageFolder, 'nginx.conf'), 'utf8'))
  return listen(createForwardingServer({ folder, to: app, forwarded, headers }))
}

/** @throws {Error} for a line that the server of this test would not follow. */
function readNginx(configuration: string) {
  const [, pattern = ''] = /^location ~ (\S+) \{$/m.exec(configuration) ?? []
  const set = [...configuration.matchAll(/^ {2}proxy_set_header (\S+) (\S+);$/gm)]
  const rest = configuration.split('\n').filter((line) => !followed.test(line))
  if (rest.length > 0) throw new Error(`nginx.conf: no test follows ${rest.join(', ')}`)
  return {
    forwarded: new RegExp(pattern),
    headers: (req: IncomingMessage) =>
      Object.fromEntries(set.map(([, name = '', value = '']) => [name.toLowerCase(), variables(req)[value] ?? value])),
  }
}

const followed =
  /^(location (~ \S+|\/) \{|\}|| {2}(proxy_set_header \S+ \S+|proxy_pass http:\S+|proxy_http_version 1\.1|proxy_buffering off|root \S+|try_files \$uri \/index\.html);.*)$/

const variables = ({ headers }: IncomingMessage): Readonly<Record<string, string>> => ({
  $http_host: headers.host ?? '',
  $scheme: 'http',
})
