import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

import { createClient } from '../../src/client/client.ts'
import { invitationLink } from '../../src/contract/admin/invitation-link.ts'
import type { AdminRole } from '../../src/contract/admin/roles.ts'
import { endSessions, listAdministrators, setAdministratorRole } from '../../src/service/admin/administrators.ts'
import type { DomainChanges } from '../../src/service/admin/domains.ts'
import { invite } from '../../src/service/admin/invitations.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { createService, openService } from '../../src/service/service.ts'
import { createTestClock } from '../../src/testing/clock.ts'
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
}

/** A service with a console on a real port, some domains, and a command line beside it; it ends with the test. */
export async function startDesk({ seed }: DeskOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'console-'))
  const database = join(folder, 'mfa.sqlite')
  const seeded = await seed?.(database)
  const clock = createTestClock(Math.floor(Date.now() / 1000))
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
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
  server.on('request', service.listener)
  const organization = seeded === undefined ? await service.administration.createOrganization('Acme') : { id: seeded }
  const domains = new Map<string, string>()
  for (const name of ['Wiki', 'Webmail', 'Empty']) {
    domains.set(name, (await service.administration.createDomain(organization.id, { name })).id)
  }
  const beside = await openService(ServiceOptions.parse({ database, clock }))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await beside.close()
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
    const all = await listAdministrators(beside.ctx, organization.id)
    return all.find((each) => each.name === name)!
  }
  return {
    url,
    clock,
    mail,
    find,
    /** @returns the link of an invitation, as the command line prints it. */
    async invite({ name = 'Olivia Owner', email = 'olivia@example.com', role = 'owner', domains: names = [] }: Person) {
      const invited = { name, email, role, domains: names.map(idOf) }
      const { token } = await invite(beside.ctx, organization.id, invited)
      return invitationLink(url, token)
    },
    /** As another owner would do at the same time. */
    async setRole(name: string, role: AdminRole, names: readonly string[]) {
      const { id, version } = await find(name)
      await setAdministratorRole(
        beside.ctx,
        { organizationId: organization.id, id, version },
        { role, domains: names.map(idOf) },
      )
    },
    async endSessions(name: string) {
      await endSessions(beside.ctx, { organizationId: organization.id, id: (await find(name)).id })
    },
    client,
    domainOf: idOf,
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

/** A browser with an authenticator that verifies the person. */
export async function newBrowser(options: BrowserContextOptions = {}) {
  const context = await chromium.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  return { page, authenticator: await addAuthenticator(page) }
}

export type Browser = Awaited<ReturnType<typeof newBrowser>>

/** Accepts an invitation. */
export async function register(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.locator('form button[type=submit]').click()
  await page.locator('#navigation').waitFor({ state: 'attached' })
}

/** A browser in which an administrator is signed in, at the list of people. */
export async function signedIn(desk: Desk, person: Person = {}, options: BrowserContextOptions = {}): Promise<Browser> {
  const browser = await newBrowser(options)
  await register(browser.page, await desk.invite(person))
  await browser.page.goto(`${desk.url}/people`)
  return browser
}

/** The same, at the list of administrators. */
export async function atAdministrators(desk: Desk, person: Person = {}, options: BrowserContextOptions = {}) {
  const browser = await signedIn(desk, person, options)
  await browser.page.goto(`${desk.url}/administrators`)
  await expectHeadline(browser.page, 'Administrators')
  return browser
}

/** An administrator who has registered in another browser. */
export async function registered(desk: Desk, person: Person): Promise<void> {
  const { page } = await signedIn(desk, person)
  await page.context().close()
}

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })
export const link = (page: Page, name: string): Locator => page.getByRole('link', { name, exact: true })
/** The link of a person in a list. */
export const row = (page: Page, name: string): Locator =>
  page.getByRole('main').getByRole('link', { name: new RegExp(`^${name}`) })
export const expectHeadline = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
