import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Page } from 'playwright-core'
import { build, createServer } from 'vite'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'

import { root } from '../../scripts/run.ts'
import { phoneOptions } from '../authenticator/phone.ts'
import { activate, numberOn, signIn, typeNumber } from '../story/person.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { createForwardingServer } from '../support/forwarding-server.ts'
import { listen } from '../support/listen.ts'
import { startExample } from './start-example.ts'

const pageFolder = join(root, 'examples/single-page-app')

const chromium = await sharedChromium()
/** Each has two users, and each test is of another one. */
const [example, behindVite] = [await startExampleOfFile(), await startExampleOfFile()]
const vite = await startVite(behindVite)

describeInFullRun('single-page-app.js', () => {
  it.each<[string, string, () => string | Promise<string>]>([
    ['served by Express', 'Alice', () => example],
    ["behind Vite's dev server", 'Alice', () => vite],
    ['built, behind nginx', 'Bob', () => startNginx(example)],
  ])('single-page-app.js opens the second step and returns to the user’s view, %s', async (_, user, front) => {
    const url = await front()
    const { page, phone } = await open()

    await page.goto(`${url}/#/orders`)
    await signIn(page, user.toLowerCase(), 'secret')
    await passSecondStep(page, phone)

    await page.getByRole('heading', { name: `Orders of ${user}` }).waitFor()
    expect(page.url()).toBe(`${url}/#/orders`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})

describe('with-a-router.js', () => {
  const [loginRoute, requestedRoute] = [{ path: '/login' }, { path: '/settings', fullPath: '/settings?tab=2' }]

  inFullRun('with-a-router.js redirects to the login, and after the second step to the requested view', async () => {
    const { page, phone } = await openWithRouter()

    expect(await callInPage(page, 'requireLogin', loginRoute)).toBe(true)
    expect(await callInPage(page, 'requireLogin', requestedRoute)).toEqual({
      path: '/login',
      query: { next: requestedRoute.fullPath },
    })
    await logIn(page)
    void callInPage(page, 'requireLogin', requestedRoute).catch(() => {}) // the page ends before the call does
    await passSecondStep(page, phone)
    await page.getByRole('heading', { name: 'Reports of Bob' }).waitFor()

    expect(page.url()).toBe(vite + requestedRoute.fullPath)
    expect(await callInPage(page, 'requireLogin', requestedRoute)).toBe(true)
    expect(await callInPage(page, 'api', '/api/me')).toMatchObject({ username: 'bob' })
  })

  it('with-a-router.js opens the second step after an error of axios', async () => {
    const { page } = await openWithRouter()
    const data = { error: 'mfa_required', challenge: '/mfa' }
    await logIn(page)

    const other = callInPage(page, 'handleAxiosError', { response: { status: 404 } })
    expect(await other.catch(() => 'thrown again')).toBe('thrown again')
    void callInPage(page, 'handleAxiosError', { response: { status: 403, data } }).catch(() => {})

    await page.waitForURL(`${vite}/mfa`)
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
  const { page, phone } = await open()
  await page.route(`${vite}/login`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Login</h1>' }))
  await page.goto(`${vite}/login`)
  return { page, phone }
}

const logIn = (page: Page) => page.request.post(`${vite}/api/login`, { data: { username: 'bob', password: 'secret' } })

/** As text: vitest would rewrite an `import()` in a function. */
const callInPage = (page: Page, name: string, argument: unknown): Promise<unknown> =>
  page.evaluate(`import('/with-a-router.js').then((module) => module.${name}(${JSON.stringify(argument)}))`)

async function startExampleOfFile(): Promise<string> {
  return (await startExample('single-page-app.js', {}, { until: afterAll })).url
}

/** Vite with the example's own configuration. @returns its address. */
async function startVite(app: string): Promise<string> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'vite-'))
  vi.stubEnv('APP', app)
  const server = await createServer({
    root: pageFolder,
    cacheDir,
    logLevel: 'silent',
    server: { port: 0, host: 'localhost', ws: false },
  })
  vi.unstubAllEnvs()
  afterAll(async () => {
    await server.close()
    await rm(cacheDir, { recursive: true })
  })
  await server.listen()
  const [address = ''] = server.resolvedUrls?.local ?? []
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
  /^(location (~ \S+|\/) \{|\}|| {2}#.*| {2}(proxy_set_header \S+ \S+|proxy_pass http:\S+|proxy_http_version 1\.1|proxy_buffering off|root \S+|try_files \$uri \/index\.html);.*)$/

const variables = ({ headers, socket }: IncomingMessage): Readonly<Record<string, string>> => ({
  $http_host: headers.host ?? '',
  $remote_addr: socket.remoteAddress ?? '',
  $scheme: 'http',
})
