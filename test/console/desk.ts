import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

import { createClient } from '../../src/client/client.ts'
import type { NewOidcClient, OidcClientChanges } from '../../src/admin-contract/oidc-client-settings.ts'
import type { OidcClient } from '../../src/admin-contract/oidc-clients.ts'
import { invitationLink } from '../../src/admin-contract/invitation-link.ts'
import type { AdminRole } from '../../src/contract/roles.ts'
import {
  decideRecord,
  endSessions,
  listAdministrators,
  setAdministratorRole,
} from '../../src/service/features/administrators/administration.ts'
import type { DomainChanges } from '../../src/service/features/domains/administration.ts'
import {
  addOidcClient,
  allOidcClients,
  changeOidcClient,
  removeOidcClient,
  rotateOidcSecret,
} from '../../src/service/features/oidc/clients.ts'
import { oidc } from '../../src/oidc/oidc.ts'
import { invite } from '../../src/service/features/administrators/invitations.ts'
import { audit } from '../../src/service/engine/audit/audit.ts'
import type { Audited } from '../../src/service/engine/audit/events.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { createService, openService } from '../../src/service/service.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import type { CreationOptions } from '../../src/contract/webauthn.ts'
import { v14 } from '../service/start-service.ts'
import { fetchWithHost } from '../support/fetch-with-host.ts'
import { createSchema } from '../support/schema-file.ts'
import { keptPage } from '../support/kept-page.ts'
import { closeForNext, listenAgain } from '../support/listen-again.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { startMailServer } from '../support/mail-server.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'

export interface Person {
  readonly name?: string
  readonly email?: string
  readonly role?: AdminRole
  /** Names of domains. */
  readonly domains?: readonly string[]
}

export type Desk = Awaited<ReturnType<typeof startDesk>>

interface DeskOptions {
  /** Fills the new database. @returns the id of its organization. */
  readonly seed?: (database: string) => Promise<string>
  /** Whether the service is an OpenID provider, too, at the same origin. */
  readonly openId?: boolean
}

/** A service with a console on a real port, some domains, and a command line beside it; it ends with the test. */
export async function startDesk({ seed, openId = false }: DeskOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'console-'))
  const database = join(folder, 'mfa.sqlite')
  const seeded = await seed?.(database)
  if (seeded === undefined) await createSchema(database)
  const clock = createTestClock(Math.floor(Date.now() / 1000))
  const server = createServer()
  await listenAgain(server)
  const { port } = server.address() as AddressInfo
  const origin = `http://localhost:${port}`
  const mail = await startMailServer()
  const service = await createService({
    database,
    clock,
    smtp: { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' },
    authenticatorUrl: origin,
    console: { url: origin, allowSharedOrigin: true },
    logger: quiet,
  })
  const provider = openId ? oidc({ service, issuer: origin }) : undefined
  server.on('request', (req, res) => {
    if (provider) provider(req, res, () => service.listener(req, res))
    else service.listener(req, res)
  })
  const organization = seeded === undefined ? await service.administration.createOrganization('Acme') : { id: seeded }
  const domains = new Map<string, string>()
  for (const name of ['Wiki', 'Webmail', 'Empty']) {
    domains.set(name, (await service.administration.createDomain(organization.id, { name })).id)
  }
  const secondService = await openService(ServiceOptions.parse({ database, clock }))
  onTestFinished(async () => {
    await closeForNext(server)
    provider?.close()
    await secondService.close()
    await service.close()
    await mail.close()
    await rm(folder, { recursive: true })
  })

  // Apps call the service on the same host, which only tests do.
  const apiKey = await service.administration.createApiKey(organization.id)
  const client = createClient({ baseUrl: `${origin}/api`, apiKey })
  const url = `${origin}/console`
  const idOf = (name: string) => domains.get(name) ?? name
  const find = async (name: string) => {
    const administrators = await listAdministrators(secondService.ctx, organization.id)
    return administrators.find((each) => each.name === name)!
  }
  return {
    url,
    service,
    clock,
    mail,
    find,
    /** @returns the link of an invitation, as the command line prints it. */
    async invite({ name = 'Olivia Owner', email = 'olivia@example.com', role = 'owner', domains: names = [] }: Person) {
      const invited = { name, email, role, domains: names.map(idOf) }
      const { token } = await invite(secondService.ctx, organization.id, invited)
      return invitationLink(url, token)
    },
    /** Writes an entry of the audit trail that contains the facts of an earlier version. */
    async recordEarlier(event: string, facts: object) {
      const earlier = { event, organizationId: organization.id, facts } as unknown as Audited
      await secondService.ctx.store.db.transaction().execute((db) => audit(db, secondService.ctx, earlier))
    },
    /** As another owner would do at the same time. */
    async setRole(name: string, role: AdminRole, names: readonly string[]) {
      const { id, version } = await find(name)
      await setAdministratorRole(
        secondService.ctx,
        { organizationId: organization.id, id, version },
        { role, domains: names.map(idOf) },
      )
    },
    /** Says whose record a person is, as another owner would. */
    async linkRecord(name: string, username: string) {
      const administrator = { organizationId: organization.id, id: (await find(name)).id }
      const { id: user } = await client.users.getByUsername(username)
      await decideRecord(secondService.ctx, administrator, { user, own: true })
    },
    async endSessions(name: string) {
      await endSessions(secondService.ctx, { organizationId: organization.id, id: (await find(name)).id })
    },
    client,
    domainOf: idOf,
    /** Registers an OpenID client, as the command line would. */
    async addOidcClient(name: string, settings: Partial<NewOidcClient> = {}) {
      const key = { organizationId: organization.id, domainId: idOf('Wiki') }
      const usual = { kind: 'sign-in' as const, redirectUris: ['https://app.example.com/callback'] }
      return (await addOidcClient(secondService.ctx, key, { ...usual, name, ...settings })).client
    },
    /** Changes an OpenID client, as the command line would do at the same time. */
    async setOidcClient({ id, domain }: OidcClient, changes: OidcClientChanges) {
      await changeOidcClient(secondService.ctx, { organizationId: organization.id, domainId: domain, id }, changes)
    },
    /** Replaces its secret, and keeps the old one for a day. @returns the new one. */
    async replaceOidcSecret({ id, domain }: OidcClient) {
      const key = { organizationId: organization.id, domainId: domain, id }
      return (await rotateOidcSecret(secondService.ctx, key, 24 * 60 * 60))!.secret!
    },
    async removeOidcClient({ id, domain }: OidcClient) {
      await removeOidcClient(secondService.ctx, { organizationId: organization.id, domainId: domain, id })
    },
    oidcClients: () => allOidcClients(secondService.ctx, organization.id),
    /** As the command line would do at the same time. */
    async setDomain(name: string, changes: DomainChanges) {
      await service.administration.setDomain(organization.id, idOf(name), changes)
    },
    /** A person of the domain Wiki, or of others. @returns the id. */
    async addPerson(username: string, name: string, names: readonly string[] = ['Wiki']) {
      const { id } = await client.users.create({ username, name, email: `${username}@example.com` })
      for (const each of names) await client.domains.addUser(idOf(each), id)
      return id
    },
    /** Enters wrong codes until they are locked. */
    async lock(username: string) {
      for (let tries = 0; tries < 10; tries++) {
        await client.sessions.create(idOf('Wiki'), { user: { username }, bypasscode: '000000000' })
      }
    },
  }
}

const quiet = { info() {}, warn() {}, error() {} }

const chromium = await sharedChromium()

/** Without scripts, on the origin of the console: below `/console`, any address loads the console. */
const emptyPage = '/none'

/** A browser with an authenticator that verifies the person. */
export async function newBrowser(options: BrowserContextOptions = {}) {
  const settings: BrowserContextOptions = {
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  }
  const page = await keptPage(chromium, settings, { emptyPage })
  return { page, authenticator: await addAuthenticator(page) }
}

export type Browser = Awaited<ReturnType<typeof newBrowser>>

/** Accepts an invitation. */
export async function register(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.locator('form button[type=submit]').click()
  await page.locator('#navigation').waitFor({ state: 'attached' })
}

/** Accepts an invitation over REST: its page takes longer than some tests. @returns the cookie of the new session. */
async function accept({ url }: Desk, link: string, make: (options: CreationOptions) => unknown): Promise<string> {
  const post = async (path: string, body: object) => {
    const headers = { accept: v14, origin: new URL(url).origin }
    const response = await fetchWithHost(`${url}/api/admin${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return response
  }
  const token = new URL(link).hash.slice(1)
  const { options } = (await (await post('/registration/options', { token })).json()) as { options: CreationOptions }
  const { headers } = await post('/registration', { token, response: await make(options), name: 'Chrome on Linux' })
  return headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

/** A browser in which an administrator is signed in, at the list of people. */
export async function signedIn(desk: Desk, person: Person = {}, options: BrowserContextOptions = {}): Promise<Browser> {
  return signedInAt(`${desk.url}/people`, desk, person, options)
}

/** The same, at the list of administrators. */
export async function atAdministrators(desk: Desk, person: Person = {}, options: BrowserContextOptions = {}) {
  const browser = await signedInAt(`${desk.url}/administrators`, desk, person, options)
  await expectHeadline(browser.page, 'Administrators')
  return browser
}

async function signedInAt(address: string, desk: Desk, person: Person, options: BrowserContextOptions) {
  const browser = await newBrowser(options)
  const { page } = browser
  // The test before may have left it there.
  const empty = new URL(emptyPage, desk.url).href
  if (page.url() !== empty) await page.goto(empty)
  const cookie = await accept(desk, await desk.invite(person), (creationOptions) =>
    page.evaluate(createPasskey, creationOptions),
  )
  const [name = '', value = ''] = cookie.split('=')
  const { hostname: domain } = new URL(desk.url)
  await page
    .context()
    .addCookies([{ name, value, domain, path: '/', secure: true, httpOnly: true, sameSite: 'Strict' }])
  await page.goto(address)
  return browser
}

/** Runs in the page. */
async function createPasskey(options: CreationOptions): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
  return ((await navigator.credentials.create({ publicKey })) as PublicKeyCredential).toJSON()
}

/** An administrator who has registered in another browser. */
export async function registered(desk: Desk, person: Person): Promise<void> {
  await acceptInvitation(desk, await desk.invite(person))
}

/** Registers in another browser. */
export async function acceptInvitation(desk: Desk, link: string): Promise<void> {
  const authenticator = createAuthenticator({ origin: new URL(desk.url).origin })
  await accept(desk, link, (options) => authenticator.make(options))
}

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })
export const link = (page: Page, name: string): Locator => page.getByRole('link', { name, exact: true })
export const inDialog = (page: Page, name: string): Locator =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })
/** Holds the answers to the changes of a path back. @returns lets them go. */
export async function holdBack(page: Page, path: string | RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    if (route.request().method() === 'GET') return route.fallback()
    const response = await route.fetch()
    await promise
    return route.fulfill({ response })
  })
  return resolve
}

/** Tries to leave a dialog whose action runs, by Escape and by Cancel. @throws {Error} if one of them closes it. */
export async function tryToLeave(page: Page): Promise<void> {
  await page.locator('dialog button[type=submit][aria-disabled=true]').waitFor()
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape')
  await inDialog(page, 'Cancel').click({ force: true })
  await page.locator('dialog:modal').waitFor()
}

/** Chooses the first reason in the dialog, and presses the button. */
export async function confirm(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio').first().check()
  await dialog.getByRole('button', { name, exact: true }).click()
}
/** The link of a person in a list. */
export const row = (page: Page, name: string): Locator =>
  page.getByRole('main').getByRole('link', { name: new RegExp(`^${name}`) })
export const expectHeadline = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

/** Leads on as a link of the console does, without loading the console again. */
export async function openScreen(page: Page, address: string): Promise<void> {
  // The console follows only once it has started.
  await page.locator('#navigation').waitFor({ state: 'attached' })
  await page.evaluate((path) => {
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, address)
}
