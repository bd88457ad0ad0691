import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { RequestHandler } from 'express'
import type { MfaOptions } from 'second-factor'
import { describe, expect, it, onTestFinished } from 'vitest'

import { root } from '../../scripts/run.ts'
import {
  administrator,
  callConsole,
  inviteAt,
  startConsole,
} from '../service/features/administrators/console-holder.ts'
import type { Account } from '../../src/device/index.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import type { CreationOptions } from '../../src/contract/webauthn.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { createBrowserKey } from '../support/browser-key.ts'
import { useEngine } from '../support/engines.ts'
import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** A row of the list in docs/mfa.md. */
interface Listed {
  readonly name: string
  /** Seconds; none for a cookie that ends with the browser. */
  readonly lifetimes: readonly number[]
  readonly sameSite: string
}

const unitSeconds: Record<string, number> = { minute: 60, hour: 3600, day: 86_400 }

const listed: readonly Listed[] = (() => {
  const [, section = ''] = /\n## Cookies\n([\s\S]*?)\n## /.exec(readFileSync(join(root, 'docs/mfa.md'), 'utf8')) ?? []
  return [...section.matchAll(/^\| `([\w-]+)` +\|[^|]*\| ([^|]*)\| `(\w+)` +\|$/gm)].map(
    ([, name = '', lifetime = '', sameSite = '']) => {
      const lifetimes = [...lifetime.matchAll(/(\d+) (minute|hour|day)/g)]
      return { name, sameSite, lifetimes: lifetimes.map(([, n, unit = '']) => Number(n) * (unitSeconds[unit] ?? 0)) }
    },
  )
})()

interface Sent {
  readonly secure: boolean
  readonly path: string
  /** The addition to the names below a prefix. */
  readonly mount: string
}

/** The lines of `Set-Cookie` that the list promises. */
const promised = (rows: readonly Listed[], { secure, path, mount }: Sent): string[] =>
  rows
    .flatMap(({ name, lifetimes, sameSite }) => {
      const sentName = secure ? `__Host-${name}${mount}` : name
      const attributes = ['HttpOnly', `Path=${path}`, `SameSite=${sameSite}`, ...(secure ? ['Secure'] : [])]
      const ages = lifetimes.length === 0 ? [[]] : lifetimes.map((seconds) => [`Max-Age=${seconds}`])
      return ages.map((age) => comparable(`${sentName}=; ${[...attributes, ...age].join('; ')}`))
    })
    .sort()

/** A line without the value, which differs each time, and with its attributes in order. */
function comparable(line: string): string {
  const [pair = '', ...attributes] = line.split('; ')
  const name = pair.slice(0, pair.indexOf('=')).replace(/^(__Host-mfa-[a-z-]+)-[\w-]{8}$/, '$1-mount')
  return [name, ...attributes.sort()].join('; ')
}

/** An app below a prefix that a proxy removes, whose cookies are written down. */
async function startApp(publicUrl: string, mfa: Partial<MfaOptions> = {}) {
  const lines = new Set<string>()
  const browserStates: string[] = []
  const prefix = new URL(publicUrl).pathname.replace(/\/$/, '')
  const watch: RequestHandler = (req, res, next) => {
    if (req.url.startsWith(`${prefix}/`)) req.originalUrl = req.url = req.url.slice(prefix.length)
    res.once('finish', () => {
      for (const line of [res.getHeader('set-cookie') ?? []].flat()) lines.add(String(line))
    })
    next()
  }
  const app = await startWebApp({
    before: [watch],
    mfa: { publicUrl, remember: { days: 30 }, ...mfa },
    routes: (routes) =>
      void routes.post('/login/options', (req, res, next) => {
        req.mfa!.passkeyOptions().then((options) => res.json(options), next)
      }),
  })
  const ours = () => [...lines].filter((line) => !line.startsWith('connect.sid='))

  /** Approves the request of the page. */
  async function pass(browser: Browser, account: Account, fields = {}) {
    const number = numberOn(await browser.visit('/mfa'))
    const [request] = (await app.device.requests(account)).requests ?? []
    browserStates.push(request?.newBrowser ? 'new' : 'kept')
    await app.device.answer(account, request!, { decision: 'approve', number, keepBrowser: true })
    return browser.submit('/mfa/complete', fields)
  }
  return { ...app, prefix, ours, pass, browserStates, forgetLines: () => lines.clear() }
}

type App = Awaited<ReturnType<typeof startApp>>

/** All that makes mfa() set a cookie. */
async function setAllCookies(app: App): Promise<void> {
  const browser = app.browser()
  await browser.submit('/login/options')
  await app.signIn(browser, 'alice')
  const page = await browser.visit('/account')
  await browser.open('/mfa/enroll/app')
  const account = await app.activate(page)
  await app.pass(browser, account, { browserKey: createBrowserKey().publicKey })
  await browser.submit('/mfa/passkeys/decline', { until: 'later' })
  await browser.submit('/mfa/passkeys/decline', { until: 'never' })
}

const isConsole = ({ name }: Listed) => name === 'mfa-console'

describe('the list of cookies', () => {
  it.each([
    ['https', 'https://app.example', { secure: true, path: '/', mount: '' }],
    ['https below a prefix', 'https://app.example/portal', { secure: true, path: '/', mount: '-mount' }],
    ['http', 'http://localhost:3000', { secure: false, path: '/', mount: '' }],
    ['http below a prefix', 'http://localhost:3000/portal', { secure: false, path: '/portal/', mount: '' }],
  ])('the list of cookies contains every cookie of an app over %s, and no other', async (_which, publicUrl, scope) => {
    const app = await startApp(publicUrl, { debug: true })

    await setAllCookies(app)

    const lines = new Set(app.ours().map(comparable))
    expect([...lines].sort()).toEqual(
      promised(
        listed.filter((row) => !isConsole(row)),
        scope,
      ),
    )
  })

  const newDatabase = useEngine('SQLite')

  it.each([
    ['https', 'https://console.example', true],
    ['http on localhost, where Safari stores no cookie with Secure', 'http://localhost:8787', false],
  ])('the list of cookies contains the cookie of the console over %s', async (_which, at, secure) => {
    const running = await startConsole(await newDatabase(), { console: { url: at } })
    onTestFinished(() => running.close())
    const headers = { host: new URL(at).host, origin: at }
    const token = await inviteAt(running, { role: 'owner' })

    const started = await callConsole(running, 'POST', '/registration/options', { headers, body: { token } })
    const response = createAuthenticator({ origin: at }).make(started.json.options as CreationOptions)
    const body = { token, response, name: 'Laptop' }
    const registered = await callConsole(running, 'POST', '/registration', { headers, body })
    const cookie = registered.headers.get('set-cookie') ?? ''
    const session = { headers, cookie: cookie.split(';', 1)[0] }
    const signedOut = await callConsole(running, 'DELETE', '/session', session)

    const scope = { secure, path: '/', mount: '' }
    expect([comparable(cookie)]).toEqual(promised(listed.filter(isConsole), scope))
    expect(signedOut.headers.get('set-cookie')).toBe(`${cookie.replace(/=[\w-]+/, '=')}; Max-Age=0`)
    expect((await callConsole(running, 'GET', '/session', session)).status).toBe(401)
  })

  inFullRun('the console does not read a cookie whose name browsers do not see as one with a prefix', async () => {
    const running = await startConsole(await newDatabase())
    onTestFinished(() => running.close())
    const { state } = await administrator(running, { role: 'owner' })
    const status = async (cookie: string) => (await callConsole(running, 'GET', '/session', { cookie })).status

    const statuses = [state.cookie, `a=b; ${state.cookie}`, `\u00A0${state.cookie}`, `a=b; \u00A0${state.cookie}`].map(
      (cookie = '') => status(cookie),
    )

    expect(await Promise.all(statuses)).toEqual([200, 200, 401, 401])
  })

  inFullRun('no source file sends a cookie in a way that the list of cookies would miss', () => {
    const files = globSync('src/**/*.{ts,tsx}', { cwd: root })
    const sends = /((append|set)Header|\.header)\(\s*'set-cookie'|\.cookie\(|document\.cookie|cookieStore/i

    expect(files.filter((file) => sends.test(readFileSync(join(root, file), 'utf8'))).sort()).toEqual([
      'src/express/framework/express-response.ts',
      'src/fastify/fastify-response.ts',
      // Those of the OpenID provider, whose pages no app is beside.
      'src/oidc/browser-binding.ts',
      'src/service/features/administrators/sessions.ts',
      'src/service/features/administrators/sign-in.ts',
    ])
  })
})

describe('the cookies of an app below a prefix, over https', () => {
  const portal = 'https://app.example/portal'

  it('the cookies of an app below a prefix do not collide with those of another app of the host', async () => {
    const [portalApp, wikiApp, plain] = [
      await startApp(portal),
      await startApp(`${portal}/wiki`),
      await startApp('https://app.example'),
    ]

    for (const app of [portalApp, wikiApp, plain]) await setAllCookies(app)

    const names = [portalApp, wikiApp, plain].map((app) => app.ours().map((line) => line.split('=', 1)[0]))
    expect(new Set(names.flat()).size).toBe(
      names.map((appNames) => new Set(appNames).size).reduce((sum, size) => sum + size),
    )
  })

  it('below a prefix, no challenge is bound to a browser under a cookie name that another host can set', async () => {
    const app = await startApp(portal)
    const browser = createBrowser(app.url, new Map([['mfa-binding', 'A'.repeat(22)]]))
    await app.signIn(browser, 'alice')

    const { cookies } = await browser.open('/account')

    expect(cookies.join()).toMatch(/__Host-mfa-binding-[\w-]{8}=/)
  })

  const key = createBrowserKey()

  /** An app, and a browser of alice whose cookies have the names of an earlier version. */
  async function updated({ remember = false } = {}) {
    const app = await startApp(portal)
    const oldBrowser = app.browser()
    const { account } = await app.enroll(oldBrowser, 'alice')
    if (remember) await oldBrowser.submit('/mfa/remember', { remember: 'yes' })
    await app.pass(oldBrowser, account, { browserKey: key.publicKey })
    const former = new Map(
      app.ours().flatMap((line): [string, string][] => {
        const [, name = '', value = ''] = /^__Host-(mfa-(?:browser|kept))-[\w-]{8}=([\w-]{22})/.exec(line) ?? []
        return name === '' ? [] : [[name, value]]
      }),
    )
    app.forgetLines()
    const browser = createBrowser(app.url, former)
    await app.signIn(browser, 'alice')
    // The binding cookie is new in this browser: it is never read under another name.
    const known = () => app.ours().filter((line) => !line.startsWith('__Host-mfa-binding'))
    const written = () => known().map((line) => line.replace(/^(__Host-mfa-[a-z]+)-[\w-]{8}=/, '$1-mount='))
    return { app, account, browser, former, written: () => written().sort() }
  }

  const written = (name: string, id: string | undefined, days: number) =>
    `__Host-${name}-mount=${id}; Path=/; Max-Age=${days * 86_400}; HttpOnly; SameSite=Lax; Secure`
  const removed = (name: string) => `${name}=; Path=/portal/; Max-Age=0; HttpOnly; SameSite=Lax; Secure`

  it('below a prefix, a remembered browser’s cookies are read under their former names, and renamed', async () => {
    const { app, browser, former, ...lines } = await updated({ remember: true })

    const answer = await browser.fetch('/account')

    expect(answer.status).toBe(200)
    expect(lines.written()).toEqual([written('mfa-browser', former.get('mfa-browser'), 180), removed('mfa-browser')])
    app.forgetLines()
    expect((await browser.fetch('/account')).status).toBe(200)
    expect(lines.written()).toEqual([])
  })

  inFullRun(
    'below a prefix, a kept browser’s cookies are read under their former names, and renamed at the next second step',
    async () => {
      const { app, account, browser, former, ...lines } = await updated()
      const [, proof = ''] = /data-proof="([^"]+)"/.exec((await browser.visit('/mfa')).text) ?? []
      await browser.submit('/mfa/browser', { signature: key.signature(proof, 'https://app.example') })

      await app.pass(browser, account)

      expect(lines.written()).toEqual([
        written('mfa-browser', former.get('mfa-browser'), 180),
        written('mfa-kept', former.get('mfa-kept'), 90),
        removed('mfa-browser'),
        removed('mfa-kept'),
      ])
      expect(app.browserStates).toEqual(['new', 'kept'])
    },
  )

  it('below a prefix, cookies are not renamed for a user who does not have them: another host may have planted them', async () => {
    const { app, former, ...lines } = await updated({ remember: true })
    const victim = createBrowser(app.url, former)
    await app.signIn(victim, 'bob')

    const page = await victim.visit('/account')

    expect(page.path).toBe('/portal/mfa')
    expect(lines.written()).toEqual([])
  })
})
