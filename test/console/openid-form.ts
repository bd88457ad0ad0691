import type { Locator, Page } from 'playwright-core'

import { oidcStateOf } from '../../src/service/oidc-state.ts'
import { type Desk, inDialog, link, openScreen, signedIn, startDesk } from './desk.ts'

export const callback = 'https://wiki.example.com/callback'

export const field = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true })
export const choice = (page: Page, name: string): Locator => page.getByRole('combobox', { name })

/** An owner who looks at the client of the app Wiki. */
export async function atClient() {
  const desk = await startDesk({ openId: true })
  const client = await desk.addOidcClient('Wiki')
  const { page } = await signedIn(desk)
  await openScreen(page, `${desk.url}/openid-client?id=${client.id}&domain=${client.domain}`)
  return { desk, client, page }
}

/** The form of a new client of a kind. */
export async function openForm(page: Page, kind: string): Promise<void> {
  await link(page, 'OpenID Connect').first().click()
  await link(page, 'Add a client').click()
  await page.getByRole('link', { name: kind }).click()
  await choice(page, 'App').selectOption({ label: 'Wiki' })
}

export const add = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Add a client', exact: true }).click()

/** Reads the secret that is shown, and closes the dialog. */
export async function takeSecret(page: Page): Promise<string> {
  const secret = await page.getByRole('dialog').locator('pre').innerText()
  await inDialog(page, 'Done').click()
  return secret
}

/** Verifies a secret as the provider does. */
export const verify = (desk: Desk, clientId: string, secret: string) =>
  oidcStateOf(desk.service).verifyClientSecret({ clientId, secret, address: '192.0.2.1' })
