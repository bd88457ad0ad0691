import type { Page } from 'playwright-core'
import { expect } from 'vitest'

import { axeViolations } from '../support/axe.ts'

/** What people do in a browser, by the words they see. */
export const password = 'correct horse battery'

export async function createAccount(page: Page, url: string, username: string, name = username): Promise<void> {
  await page.goto(`${url}/sign-up`)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('E-mail').fill(`${username}@example.com`)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
}

export async function signIn(page: Page, username: string, secret = password): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Chooses the phone, where browsers accept passkeys and the page asks first. */
export async function choosePhone(page: Page): Promise<void> {
  const choice = page.getByRole('link', { name: 'My phone' })
  const setUp = page.getByRole('heading', { name: 'Set up your device' })
  await choice.or(setUp).waitFor()
  if (await choice.isVisible()) await choice.click()
  await setUp.waitFor()
}

/** Opens the link of the enrollment page in another browser, and joins there. */
export async function activate(phone: Page, page: Page): Promise<Page> {
  await choosePhone(page)
  const link = await page.getByRole('link', { name: 'Use this computer instead' }).getAttribute('href')
  await phone.goto(link ?? '')
  await phone.getByRole('button', { name: 'Add this account' }).click()
  // The web page may be quicker than our eyes: then the first request is there already.
  await phone
    .getByText(/^(Added|Nothing to approve|Sign in to)/)
    .first()
    .waitFor()
  return phone
}

export async function numberOn(page: Page): Promise<string> {
  return (await page.locator('#number').textContent()) ?? ''
}

/** Another number of two digits. */
export function wrong(number: string): string {
  return number === '47' ? '48' : '47'
}

export async function typeNumber(authenticator: Page, number: string): Promise<void> {
  await authenticator.getByLabel('Enter the number from the sign-in page').fill(number)
}

/** Fails on anything that axe calls a violation (WCAG 2.2 A and AA, and its best practices). */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await axeViolations(page)).toEqual([])
}
