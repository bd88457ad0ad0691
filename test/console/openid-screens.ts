import type { Page } from 'playwright-core'

import type { LanguageTag } from '../../src/contract/languages.ts'
import { loadTexts } from '../../src/console/screens/openid/texts/load.ts'
import { wordsOf } from './every-screen.ts'
import { button, type Desk, openScreen, row } from './desk.ts'

/** Goes through the screens of OpenID Connect, and calls back on each. */
export async function lookAtOpenId(
  desk: Desk,
  page: Page,
  language: LanguageTag,
  look: (screen: string) => Promise<void>,
): Promise<void> {
  const dialog = page.getByRole('dialog')
  const { done } = await wordsOf(language)
  const texts = await loadTexts[language]()
  const submit = page.locator('form button[type=submit]')
  await openScreen(page, `${desk.url}/openid`)
  await page.getByText(texts.none).waitFor()
  await look('no OpenID clients')
  await openScreen(page, `${desk.url}/openid-add`)
  await page.locator('.kind-list').waitFor()
  await look('the kinds of OpenID clients')
  await openScreen(page, `${desk.url}/openid-add?kind=entra`)
  await submit.click()
  await page.getByText(texts.problems.form).waitFor()
  await look('a tenant of Entra with problems')
  await openScreen(page, `${desk.url}/openid-add?kind=sign-in`)
  await page.locator('form select').first().selectOption({ label: 'Wiki' })
  await page.getByRole('textbox', { name: texts.fields.name.label, exact: true }).fill('Handbook')
  await page
    .getByRole('textbox', { name: texts.fields.redirectUris.label })
    .fill('https://handbook.example.com/callback')
  await look('a new OpenID client')
  await submit.click()
  await dialog.locator('pre').waitFor()
  await look('the secret of an OpenID client')
  await dialog.getByRole('button', { name: done }).click()
  await look('an OpenID client')
  await button(page, texts.secret.replace).click()
  await dialog.waitFor()
  await look('replacing the secret of an OpenID client')
  await page.keyboard.press('Escape')
  await page.request.get(`${new URL(desk.url).origin}/.well-known/openid-configuration`)
  await openScreen(page, `${desk.url}/openid`)
  await row(page, 'Handbook').waitFor()
  await button(page, texts.keys.replace).waitFor()
  await look('OpenID clients')
  await button(page, texts.keys.replace).click()
  await dialog.waitFor()
  await look('replacing the signing keys')
  await page.keyboard.press('Escape')
}
