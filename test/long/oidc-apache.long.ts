import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openCertificates } from '../../example-app/https/certificate.ts'
import { root } from '../../scripts/run.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { signInAt, startProvider, usePasskey } from '../oidc/start-provider.ts'
import type { RegisteredClient, StartedProvider } from '../oidc/start-provider.ts'
import { createTabs } from '../oidc/tabs.ts'
import type { Tabs } from '../oidc/tabs.ts'
import { requirePrograms, show } from '../support/doors/programs.ts'
import { sendRequest } from '../support/http-request.ts'
import { bridgeTo, listenLocally } from '../support/oidc/site-bridge.ts'
import type { SiteBridge } from '../support/oidc/site-bridge.ts'
import { startWebServer } from '../support/oidc/web-server.ts'
import type { WebServer } from '../support/oidc/web-server.ts'
import { freePort } from '../support/service-nodes.ts'

/** A site of Apache, as a browser and the provider know it. */
interface Site {
  readonly name: string
  readonly client: RegisteredClient
  readonly port: number
  /** What is added to its configuration. */
  readonly more: string
}

let folder: string
let provider: StartedProvider
let app: Server
let appPort: number
let apache: WebServer
let bridges: Record<'wiki' | 'other' | 'external', SiteBridge>

beforeAll(async () => {
  requirePrograms(
    ['apache2', 'apache2'],
    ['/usr/lib/apache2/modules/mod_auth_openidc.so', 'libapache2-mod-auth-openidc'],
  )
  folder = mkdtempSync(join(tmpdir(), 'second-factor-apache-'))
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'apache'))
  provider = await startProvider()
  // An app that knows nothing of OpenID Connect: it shows what it is told.
  app = createServer((req, res) => {
    const { 'x-remote-user': user } = req.headers
    res.end(JSON.stringify({ user, path: req.url, headers: req.headers }))
  })
  appPort = await listenLocally(app)
  const sites = {
    wiki: await addSite('wiki.example'),
    other: await addSite('other.example'),
    external: await addSite('external.example', 'external', 'OIDCPathAuthRequestParams login_hint=ben'),
  }
  const ca = await writeCertificate(Object.values(sites).map(({ name }) => name))
  apache = await startApache(Object.values(sites))
  const bridge = ({ name, port }: Site) => bridgeTo({ host: name, port, ca })
  bridges = {
    wiki: await bridge(sites.wiki),
    other: await bridge(sites.other),
    external: await bridge(sites.external),
  }
}, 120_000)
afterAll(async () => {
  for (const each of Object.values(bridges ?? {})) each.close()
  await apache?.close()
  app?.close()
  await provider?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

async function addSite(name: string, kind: 'sign-in' | 'external' = 'sign-in', more = ''): Promise<Site> {
  const client = await provider.register(name, {
    kind,
    redirectUris: [`https://${name}/oidc-callback`],
    postLogoutRedirectUris: [`https://${name}/signed-out`],
    scopes: ['profile'],
  })
  return { name, client, port: await freePort(), more }
}

/** @returns the certificate of the authority, PEM. */
async function writeCertificate(names: readonly string[]): Promise<string> {
  const { server } = await openCertificates(join(folder, 'tls'), names, systemClock.now())
  writeFileSync(join(folder, 'fullchain.pem'), server.certificate)
  writeFileSync(join(folder, 'privkey.pem'), server.key)
  return readFileSync(join(folder, 'tls/authority.crt'), 'utf8')
}

/** The configuration that readers copy, for one site. */
const place = ({ name, client, port, more }: Site) =>
  readFileSync(join(root, 'deploy/oidc/apache.conf'), 'utf8')
    .replaceAll(/\/etc\/letsencrypt\/live\/wiki\.example/g, folder)
    .replaceAll('wiki.example', name)
    .replaceAll('https://id.example', provider.url)
    .replaceAll('CLIENT-ID', client.id)
    .replaceAll('CLIENT-SECRET', client.clientSecret ?? '')
    .replaceAll('PASSPHRASE', 'p'.repeat(48))
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${appPort}`)
    .replaceAll('*:443', `127.0.0.1:${port}`)
    .replaceAll('    AuthType openid-connect\n', `    AuthType openid-connect\n    ${more}\n`)

async function startApache(sites: readonly Site[]): Promise<WebServer> {
  const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'ssl', 'proxy', 'proxy_http', 'headers']
  modules.push('auth_openidc')
  writeFileSync(
    join(folder, 'apache.conf'),
    `${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
ServerRoot ${folder}
ServerName localhost
User www-data
Group www-data
PidFile ${folder}/apache/pid
ErrorLog ${folder}/apache/error.log
LogLevel warn
Mutex file:${folder}/apache
${sites.map(({ port }) => `Listen 127.0.0.1:${port}`).join('\n')}
${sites.map(place).join('\n')}`,
  )
  return startWebServer(sites[0]?.port ?? 0, 'apache2', ['-DFOREGROUND', '-f', join(folder, 'apache.conf')])
}

async function addPerson(username: string) {
  const user = await provider.addUser(username)
  return { user, passkey: await provider.addPasskey(user.id) }
}

type Passkey = Awaited<ReturnType<typeof addPerson>>['passkey']
type SiteName = keyof typeof bridges

/** Opens a page of the app, and signs in at the provider. The browser has not returned to Apache then. */
async function comeFrom(site: SiteName, passkey: Passkey, path = '/page?x=1') {
  const [atApache, atProvider] = [createTabs(bridges[site].url), provider.browser()]
  const { left: request } = await atApache.visit(path)
  const answer = await signInAt(atProvider, String(request), passkey)
  return { atApache, atProvider, request: request!, answer }
}

/** Returns to Apache. @returns the status of its answer, and what the app is told about the browser then. */
async function returnWith(atApache: Tabs, { pathname, search }: URL, headers: Record<string, string> = {}) {
  const { status, headers: sent } = await atApache.get(pathname + search)
  const page = await atApache.get('/page', headers)
  const location = URL.parse(sent['location'] ?? '')
  return { status, path: location && location.pathname + location.search, user: userOf(page.text) }
}

const userOf = (text: string): string | undefined =>
  text.startsWith('{') ? (JSON.parse(text) as { user?: string }).user : undefined

describe('mod_auth_openidc', () => {
  it('mod_auth_openidc signs people in by passkey, and tells the app their username', async () => {
    const { passkey } = await addPerson('ada')

    const { atApache, request, answer } = await comeFrom('wiki', passkey)
    const returned = await returnWith(atApache, answer, { 'x-remote-user': 'ben' })

    show('mod_auth_openidc asks', [...request.searchParams.keys()].join(' '), 'and tells the app', returned.user)
    expect(request.searchParams.get('code_challenge_method')).toBe('S256')
    expect(returned).toEqual({ status: 302, path: '/page?x=1', user: 'ada' })
  })

  it('mod_auth_openidc tells the app no name and no address that a browser made up', async () => {
    const { passkey } = await addPerson('ida')
    const { atApache, answer } = await comeFrom('wiki', passkey)
    await returnWith(atApache, answer)
    const forwarded = ['For', 'Host', 'Server', 'Port', 'Prefix', 'Proto'].map((each) => `x-forwarded-${each}`)
    const names = ['x_remote_user', 'x_remote-user', 'x-remote_user', 'x_forwarded_host', 'x-real-ip', 'forwarded']
    const evil = Object.fromEntries([...names, ...forwarded].map((each) => [each, 'evil.example']))

    const page = await atApache.get('/page', { ...evil, connection: 'x-remote-user, x-forwarded-proto' })

    expect(userOf(page.text)).toBe('ida')
    expect(page.text).toContain('"x-forwarded-proto":"https"')
    expect(page.text).not.toContain('evil.example')
  })

  it('mod_auth_openidc answers no TRACE, which would show what Apache adds to a request', async () => {
    const { passkey } = await addPerson('jon')
    const { atApache, answer } = await comeFrom('wiki', passkey)
    await returnWith(atApache, answer)
    const cookie = atApache.jar().map((each) => `${each.name}=${each.value}`)

    const traced = await sendRequest('TRACE', `${bridges.wiki.url}/page`, {
      cookie: cookie.join('; '),
      'max-forwards': '0',
    })

    expect(traced.status).toBe(405)
    expect(traced.text).not.toMatch(/x-remote-user/i)
  })

  it('mod_auth_openidc tells the app nothing before a sign-in, whatever the browser sends', async () => {
    const { left, page } = await createTabs(bridges.wiki.url).visit('/page')

    expect([page.status, left?.origin]).toEqual([302, provider.url])
  })

  it('mod_auth_openidc sends people without a passkey to a page that takes a code of an administrator, for a new passkey', async () => {
    const user = await provider.addUser('cyd')
    const { code = '' } = await provider.api.bypassCodes.create(user.id, { usesAllowed: 1, expirationTime: 30 })
    const [atApache, atProvider] = [createTabs(bridges.wiki.url), provider.browser()]
    const { left: request } = await atApache.visit('/page')
    const { page } = await atProvider.visit(String(request))
    const [, base = ''] = /data-base="([^"]*\/interaction\/[^"]*)"/.exec(page.text) ?? []

    const entered = await atProvider.submit(`${base}/code`, { username: 'cyd', code })
    const passkey = await provider.addPasskey(user.id)
    const { left: answer } = await atProvider.visit((await usePasskey(atProvider, base, passkey)) ?? '')
    const returned = await returnWith(atApache, answer!)

    expect(entered.headers['location']).toBe(`${provider.pages('sign-in')}/enroll/passkey`)
    expect(returned.user).toBe('cyd')
  })

  it('mod_auth_openidc signs people out of the app and of the provider', async () => {
    const { passkey } = await addPerson('dan')
    const { atApache, atProvider, answer } = await comeFrom('wiki', passkey)
    await returnWith(atApache, answer)

    const bye = encodeURIComponent('https://wiki.example/signed-out')
    const { left: logout } = await atApache.visit(`/oidc-callback?logout=${bye}`)
    const { page } = await atProvider.visit(String(logout))
    const [, xsrf = ''] = /name="xsrf" value="([^"]*)"/.exec(page.text) ?? []
    const back = await atProvider.follow(await atProvider.submit('/oidc/logout/confirm', { xsrf, logout: 'yes' }))
    const farewell = await atApache.get(back.left!.pathname)
    const again = await atApache.visit('/page')
    const asked = await atProvider.visit(String(again.left))

    expect(back.left?.href).toBe('https://wiki.example/signed-out')
    expect(farewell.text).toBe('You are signed out.')
    expect(again.left?.origin).toBe(provider.url)
    expect(asked.page.text).toContain('Sign in to wiki.example')
  })

  it('mod_auth_openidc signs nobody out to an address of somebody else', async () => {
    const other = encodeURIComponent('https://attacker.example/')

    const { left } = await createTabs(bridges.wiki.url).visit(`/oidc-callback?logout=${other}`)

    expect(left?.hostname ?? 'stayed').not.toBe('attacker.example')
  })
})

describe('an attack on mod_auth_openidc', () => {
  it('an attack on mod_auth_openidc by the name of another user signs in the owner of the passkey', async () => {
    const [{ passkey }, victim] = [await addPerson('eve'), await provider.enroll('fay')]
    const start = new URLSearchParams({
      iss: provider.url,
      login_hint: 'fay',
      target_link_uri: 'https://wiki.example/page',
    })

    const { atApache, request, answer } = await comeFrom('wiki', passkey, `/oidc-callback?${start.toString()}`)
    const returned = await returnWith(atApache, answer)

    expect(request.searchParams.get('login_hint')).toBe('fay')
    expect(returned.user).toBe('eve')
    await expect(provider.answer(victim.account, 'approve')).rejects.toThrow('nothing is pending')
  })

  it('an attack on mod_auth_openidc by a bare login_hint is refused to a client that asks for a second step only', async () => {
    const { account } = await provider.enroll('ben')
    const atApache = createTabs(bridges.external.url)
    const { left: request } = await atApache.visit('/page')

    const { left } = await provider.browser().visit(String(request))
    const returned = await returnWith(atApache, left!)

    show('An external client with a bare login_hint gets', left?.searchParams.get('error_description'))
    expect(request?.searchParams.get('login_hint')).toBe('ben')
    expect(left?.searchParams.get('error')).toBe('invalid_request')
    expect(returned.user).toBeUndefined()
    await expect(provider.answer(account, 'approve')).rejects.toThrow('nothing is pending')
  })

  it('an attack on mod_auth_openidc by a changed state signs nobody in', async () => {
    const { passkey } = await addPerson('gil')
    const { atApache, answer } = await comeFrom('wiki', passkey)
    answer.searchParams.set('state', `${answer.searchParams.get('state')}x`)

    const returned = await returnWith(atApache, answer)

    expect(returned.user).toBeUndefined()
  })

  it('an attack on mod_auth_openidc by the answer of another browser signs nobody in', async () => {
    const { passkey } = await addPerson('hal')
    const { answer } = await comeFrom('wiki', passkey)
    const victim = createTabs(bridges.wiki.url)
    await victim.visit('/page')

    const returned = await returnWith(victim, answer)

    expect(returned.user).toBeUndefined()
  })

  it.each(['wiki', 'other'] as const)(
    'an attack on mod_auth_openidc by a stolen code (of a browser at %s) signs nobody in',
    async (site) => {
      const [thief, victim] = [await addPerson(`thief-${site}`), await addPerson(`victim-${site}`)]
      const { atApache, answer } = await comeFrom('wiki', thief.passkey)
      const stolen = await comeFrom(site, victim.passkey)
      answer.searchParams.set('code', stolen.answer.searchParams.get('code') ?? '')

      const returned = await returnWith(atApache, answer)

      expect(returned.user).toBeUndefined()
    },
  )
})
