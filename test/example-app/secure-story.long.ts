import { createHash, X509Certificate } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'
import { afterAll, expect, it, onTestFinished } from 'vitest'

import { openCertificates } from '../../example-app/https/certificate.ts'
import type { KeyPair } from '../../example-app/https/key-pair.ts'
import { lanAddresses } from '../../example-app/https/lan.ts'
import { createTrustPages } from '../../example-app/trust-pages.ts'
import { createPages } from '../../example-app/pages.ts'
import { embedded } from '../../src/service/embedded.ts'
import { activate, createAccount, expectAccessible, numberOn, signIn, typeNumber } from '../story/person.ts'
import { launchChromium } from '../support/chromium.ts'
import { serveExampleApp } from '../support/example-app.ts'
import { listen } from '../support/listen.ts'
import { serveSecurely } from './secure-app.ts'

/** What a phone would call this computer: its address in a network, where it is in one. */
const address = lanAddresses(networkInterfaces())[0] ?? '127.0.0.1'

const folder = await mkdtemp(join(tmpdir(), 'second-factor-https-'))
const { server: pair, authority } = await openCertificates(
  folder,
  ['localhost', address],
  Math.floor(Date.now() / 1000),
)
const chromium = await launchTrusting(pair)
afterAll(async () => {
  await chromium.close()
  await rm(folder, { recursive: true })
})

/** By its key: a browser without a user has no list of authorities to add ours to. The chain is checked elsewhere. */
function launchTrusting({ certificate }: KeyPair): Promise<Browser> {
  const spki = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
  const trusted = createHash('sha256').update(spki).digest('base64')
  return launchChromium({ args: [`--ignore-certificate-errors-spki-list=${trusted}`] })
}

/** The app over https, which Chromium trusts. */
async function arrange() {
  const server = await serveSecurely(pair)
  const { port } = server.address() as AddressInfo
  const publicUrl = `https://${address}:${port}`
  serveExampleApp(server, { publicUrl, service: embedded({ database: ':memory:' }) })
  return { publicUrl, here: `https://localhost:${port}` }
}

async function openBrowsers(): Promise<{ page: Page; phone: Page }> {
  const desk = await chromium.newContext()
  const phone = await chromium.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  onTestFinished(async () => {
    await Promise.all([desk.close(), phone.close()])
  })
  return { page: await desk.newPage(), phone: await phone.newPage() }
}

/** Whether the authenticator would start without a network. */
const serviceWorker = (page: Page) =>
  page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL ?? 'none')

it('the example app lets a phone in the network approve over https', async () => {
  const { publicUrl, here } = await arrange()
  const { page, phone } = await openBrowsers()

  await createAccount(page, here, 'alice')
  await signIn(page, 'alice')
  const link = await page.getByRole('link', { name: 'Use this computer instead' }).getAttribute('href')
  const authenticator = await activate(phone, page)
  const worker = await serviceWorker(authenticator)
  await page.locator('#number').waitFor()
  await typeNumber(authenticator, await numberOn(page))
  await authenticator.getByRole('button', { name: 'Approve' }).click()
  await page.waitForURL(`${here}/account`)
  const cookies = await page.context().cookies()

  // What the code on the page carries is an address that the phone can reach.
  expect(new URL(link ?? '').origin).toBe(publicUrl)
  expect(worker).toMatch(new RegExp(`^${publicUrl}/mfa/authenticator/`))
  expect(cookies.filter(({ secure }) => !secure)).toEqual([])
  expect(cookies).not.toEqual([])
})

it('the example app sets no lasting https policy for localhost, which other programs use too', async () => {
  const { here } = await arrange()
  const { page } = await openBrowsers()

  const answer = await page.goto(here)

  expect(answer?.headers()['strict-transport-security']).toBeUndefined()
})

it('the example app explains over plain http, accessibly, how a phone trusts this computer', async () => {
  const { publicUrl } = await arrange()
  const { phone: page } = await openBrowsers()

  await page.goto(await listen(createTrustPages(authority, publicUrl, createPages())))
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Open the example' }).click()
  await page.waitForURL(`${publicUrl}/`)

  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('An app with a second step')
})
