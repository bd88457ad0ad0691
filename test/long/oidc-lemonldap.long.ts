import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { signInAt, startProvider } from '../oidc/start-provider.ts'
import type { RegisteredClient, StartedProvider } from '../oidc/start-provider.ts'
import { createTabs } from '../oidc/tabs.ts'
import type { Tabs } from '../oidc/tabs.ts'
import { requirePrograms, show } from '../support/doors/programs.ts'
import { bridgeTo } from '../support/oidc/site-bridge.ts'
import type { SiteBridge } from '../support/oidc/site-bridge.ts'
import { startWebServer } from '../support/oidc/web-server.ts'
import type { WebServer } from '../support/oidc/web-server.ts'
import { freePort } from '../support/service-nodes.ts'

const portal = 'https://auth.example/'
const callback = `${portal}?openidconnectcallback=1`
const [cli, installed] = ['/usr/share/lemonldap-ng/bin/lemonldap-ng-cli', '/var/lib/lemonldap-ng']
const psgi = '/usr/share/doc/liblemonldap-ng-portal-perl/examples/index.psgi'

let folder: string
let provider: StartedProvider
let client: RegisteredClient
let lemonldap: WebServer
let bridge: SiteBridge

beforeAll(async () => {
  requirePrograms(
    [cli, 'liblemonldap-ng-manager-perl'],
    [psgi, 'liblemonldap-ng-portal-perl'],
    ['plackup', 'libplack-perl'],
    // LemonLDAP loads these packages in any case, and Debian only recommends them.
    ['/usr/share/perl5/GD/SecurityImage.pm', 'libgd-securityimage-perl libimage-magick-perl'],
    ['/usr/share/perl5/Email/Sender.pm', 'libemail-sender-perl'],
    ['/usr/share/perl5/MIME/Entity.pm', 'libmime-tools-perl'],
  )
  folder = mkdtempSync(join(tmpdir(), 'second-factor-lemonldap-'))
  provider = await startProvider()
  client = await register('LemonLDAP')
  await configure()
  const port = await freePort()
  bridge = await bridgeTo({ host: 'auth.example', port })
  lemonldap = await startWebServer(
    port,
    'plackup',
    [
      '--server',
      'HTTP::Server::PSGI',
      '--access-log',
      '/dev/null',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      psgi,
    ],
    environment(),
  )
}, 120_000)
afterAll(async () => {
  bridge?.close()
  await lemonldap?.close()
  await provider?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const register = (name: string) =>
  provider.register(name, {
    kind: 'sign-in',
    pkce: 'nonce',
    redirectUris: [callback],
    postLogoutRedirectUris: [`${portal}?logout=1`],
    scopes: ['profile', 'email'],
  })

const environment = () => ({ LLNG_DEFAULTCONFFILE: join(folder, 'lemonldap-ng.ini') })

/** Without blocking this process, which is the provider. */
const run = promisify(execFile)

/** The configuration of Debian in a folder of its own, with the settings that readers copy. */
async function configure(): Promise<void> {
  for (const name of ['conf', 'sessions/lock', 'psessions/lock', 'cache', 'notifications'])
    mkdirSync(join(folder, name), { recursive: true })
  const place = (text: string) =>
    text
      .replaceAll(installed, folder)
      .replaceAll('http://auth.example.com/', portal)
      .replaceAll('auth.example.com', 'auth.example')
  const copy = (from: string, to: string) => writeFileSync(join(folder, to), place(readFileSync(from, 'utf8')))
  copy('/etc/lemonldap-ng/lemonldap-ng.ini', 'lemonldap-ng.ini')
  copy(`${installed}/conf/lmConf-1.json`, 'conf/lmConf-1.json')
  const printing = run('perl', [join(root, 'deploy/oidc/lemonldap-settings'), provider.url, client.id])
  printing.child.stdin?.end(client.clientSecret)
  writeFileSync(join(folder, 'settings.json'), (await printing).stdout)
  const own = ['-yes', '1', '--user=root', '--group=root']
  const env = { ...process.env, ...environment() }
  await run(cli, [...own, 'set', 'domain', 'example'], { env })
  await run(cli, [...own, 'merge', join(folder, 'settings.json')], { env })
}

async function addPerson(username: string) {
  const user = await provider.addUser(username)
  return { user, passkey: await provider.addPasskey(user.id) }
}

type Passkey = Awaited<ReturnType<typeof addPerson>>['passkey']

/** The address to which the portal sends a new browser. */
async function begin(): Promise<{ inPortal: Tabs; request: URL }> {
  const inPortal = createTabs(bridge.url)
  const { left } = await inPortal.visit('/')
  return { inPortal, request: left! }
}

/** Signs in at the provider. @returns the address that leads back to the client. */
const answerTo = ({ href }: URL, passkey: Passkey, atProvider = provider.browser()): Promise<URL> =>
  signInAt(atProvider, href, passkey)

/** Returns to the portal. @returns the user whom it knows in this browser then, as it calls them. */
async function returnWith(inPortal: Tabs, { pathname, search }: URL): Promise<string | undefined> {
  await inPortal.get(pathname + search)
  return whoIsIn(inPortal)
}

async function whoIsIn(inPortal: Tabs): Promise<string | undefined> {
  const { text } = await inPortal.get('/mysession/?whoami', { accept: 'application/json' })
  return /"result":"([^"]*)"/.exec(text)?.[1]
}

const nameOf = ({ id }: { readonly id: string }) => `${id}@second-factor`

describe('LemonLDAP::NG', () => {
  it('LemonLDAP::NG signs people in by passkey, and knows them by the id of the provider', async () => {
    const { user, passkey } = await addPerson('ada')

    const { inPortal, request } = await begin()
    const before = await whoIsIn(inPortal)
    const signedIn = await returnWith(inPortal, await answerTo(request, passkey))

    show('LemonLDAP::NG asks', [...request.searchParams.keys()].join(' '), 'and knows', signedIn)
    expect(before).toBeUndefined()
    expect(signedIn).toBe(nameOf(user))
  })

  it('LemonLDAP::NG sends no PKCE, and a nonce of its own with each sign-in', async () => {
    const [first, second] = [await begin(), await begin()]
    const nonces = [first, second].map(({ request }) => request.searchParams.get('nonce'))

    expect(first.request.searchParams.has('code_challenge')).toBe(false)
    expect(nonces).toEqual([expect.stringMatching(/.{20}/), expect.stringMatching(/.{20}/)])
    expect(nonces[0]).not.toBe(nonces[1])
  })

  it('LemonLDAP::NG signs people out of the provider, too', async () => {
    const { passkey } = await addPerson('bea')
    const atProvider = provider.browser()
    const { inPortal, request } = await begin()
    await returnWith(inPortal, await answerTo(request, passkey, atProvider))

    const { left } = await inPortal.visit('/?logout=1')
    const { page } = await atProvider.visit(String(left))
    const [, xsrf = ''] = /name="xsrf" value="([^"]*)"/.exec(page.text) ?? []
    const back = await atProvider.follow(await atProvider.submit('/oidc/logout/confirm', { xsrf, logout: 'yes' }))
    const again = await atProvider.visit((await begin()).request.href)

    expect(await whoIsIn(inPortal)).toBeUndefined()
    expect(back.left?.href).toBe(`${portal}?logout=1`)
    expect(again.page.text).toContain('Sign in to LemonLDAP')
  })

  it('LemonLDAP::NG names no user to the provider, so it is refused as a client that asks for a second step', async () => {
    const external = await provider.register('LemonLDAP external', {
      kind: 'external',
      pkce: 'nonce',
      redirectUris: [callback],
    })
    const { account } = await provider.enroll('cyd')
    const { request } = await begin()
    request.searchParams.set('client_id', external.id)
    request.searchParams.set('scope', 'openid')

    const unnamed = await provider.browser().visit(request.href)
    request.searchParams.set('login_hint', 'cyd')
    const named = await provider.browser().visit(request.href)
    const answers = [unnamed, named].map(({ left }) => left?.searchParams.get('error_description'))

    show('LemonLDAP::NG as an external client gets:', answers)
    expect(answers).toEqual([
      expect.stringContaining('login_hint is missing'),
      expect.stringContaining('login_hint counts only in a pushed authorization request'),
    ])
    await expect(provider.answer(account, 'approve')).rejects.toThrow('nothing is pending')
  })
})

describe('an attack on LemonLDAP::NG', () => {
  it('an attack on LemonLDAP::NG by the name of another user signs in the owner of the passkey', async () => {
    const [{ user, passkey }, victim] = [await addPerson('dan'), await provider.enroll('eve')]
    const { inPortal, request } = await begin()
    request.searchParams.set('login_hint', 'eve')

    const signedIn = await returnWith(inPortal, await answerTo(request, passkey))

    expect(signedIn).toBe(nameOf(user))
    await expect(provider.answer(victim.account, 'approve')).rejects.toThrow('nothing is pending')
  })

  it('an attack on LemonLDAP::NG by a changed state signs nobody in', async () => {
    const { passkey } = await addPerson('fay')
    const { inPortal, request } = await begin()
    const answer = await answerTo(request, passkey)
    answer.searchParams.set('state', `${answer.searchParams.get('state')}1`)

    expect(await returnWith(inPortal, answer)).toBeUndefined()
  })

  it('an attack on LemonLDAP::NG by a code that was stolen from another browser signs nobody in', async () => {
    const [thief, victim] = [await addPerson('gil'), await addPerson('hal')]
    const { inPortal, request } = await begin()
    const answer = await answerTo(request, thief.passkey)
    const stolen = await answerTo((await begin()).request, victim.passkey)
    answer.searchParams.set('code', stolen.searchParams.get('code') ?? '')

    expect(await returnWith(inPortal, answer)).toBeUndefined()
  })

  it('an attack on LemonLDAP::NG by a request whose nonce was removed is refused by the provider', async () => {
    const { request } = await begin()
    request.searchParams.delete('nonce')

    const { left } = await provider.browser().visit(request.href)

    expect(left?.searchParams.get('error')).toBe('invalid_request')
  })

  it('an attack on LemonLDAP::NG by a code of another client signs nobody in', async () => {
    const other = await register('another portal')
    const [thief, victim] = [await addPerson('ida'), await addPerson('jon')]
    const { inPortal, request } = await begin()
    const answer = await answerTo(request, thief.passkey)
    const foreign = (await begin()).request
    foreign.searchParams.set('client_id', other.id)
    foreign.searchParams.set('nonce', request.searchParams.get('nonce') ?? '')
    const stolen = await answerTo(foreign, victim.passkey)
    answer.searchParams.set('code', stolen.searchParams.get('code') ?? '')

    expect(await returnWith(inPortal, answer)).toBeUndefined()
  })

  it('an attack on LemonLDAP::NG by a whole answer with its state works, which the documentation says', async () => {
    const { user, passkey } = await addPerson('kay')
    const answer = await answerTo((await begin()).request, passkey)

    const signedIn = await returnWith(createTabs(bridge.url), answer)

    show('LemonLDAP::NG signs another browser in by an unused answer as', signedIn)
    expect(signedIn).toBe(nameOf(user))
  })
})
