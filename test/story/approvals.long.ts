import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from 'playwright-core'
import { createDevice } from 'second-factor/device'
import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { answerApproval, inboxOf } from '../support/approving-device.ts'
import { startExampleApp } from '../support/example-app.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { button, headline } from '../authenticator/screen.ts'
import { enrolled } from './enrolled.ts'
import { choosePhone, createAccount, expectAccessible, numberOn, signIn, typeNumber } from './person.ts'

const chromium = await sharedChromium()
const folder = join(root, 'reports', 'pictures')
mkdirSync(folder, { recursive: true })

/** Somebody who has signed in to the example app, with a device of the command line. */
async function arrange(javaScriptEnabled = true) {
  const url = await startExampleApp()
  const page = await keptPage(chromium, { locale: 'en', javaScriptEnabled, viewport: { width: 390, height: 844 } })
  await createAccount(page, url, 'alice', 'Alice Berg')
  await signIn(page, 'alice')
  await choosePhone(page)
  const code = ((await page.locator('#code').textContent()) ?? '').replaceAll(/\s/g, '')
  const device = createDevice()
  const account = await device.activate(`${url}/mfa`, code, { name: 'Phone' })
  if (!javaScriptEnabled) await page.goto(`${url}/mfa`)
  await page.locator('#number').waitFor()
  const [request] = (await device.requests(account)).requests ?? []
  if (!request) throw new Error('no request is pending')
  await device.answer(account, request, { decision: 'approve', number: await numberOn(page) })
  if (!javaScriptEnabled) await page.goto(`${url}/mfa`)
  if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click()

  async function answer(decision: 'approve' | 'deny') {
    const [approval] = (await inboxOf(systemClock, account)).approvals ?? []
    if (!approval) throw new Error('no approval is pending')
    const number = decision === 'approve' ? await numberOn(page) : undefined
    await answerApproval(systemClock, account, approval, { decision, number })
  }
  return { url, page, answer, send: () => sendMoney(page, url) }
}

/** Fills in the form of the example app, until the page asks for the approval. */
async function sendMoney(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/transfer`)
  await page.getByLabel('To', { exact: true }).fill('Anna “Ann” Berg <DE89 3704>')
  await page.getByLabel('Amount in euros').fill('250')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: 'Approve this action' }).waitFor()
}

describe('a transfer in the example app', () => {
  it('the example app sends money once the device has approved exactly that transfer', async () => {
    const { page, url, answer, send } = await arrange()
    await page.waitForURL((address) => !address.pathname.startsWith('/mfa') || address.pathname === '/mfa/recovery')
    await page.goto(`${url}/transfer`)
    await page.screenshot({ path: join(folder, 'transfer 1 form.png') })
    await send()
    await page.screenshot({ path: join(folder, 'transfer 2 waiting.png') })
    await expectAccessible(page)

    await answer('approve')

    await page.getByText('€250.00 sent to Anna “Ann” Berg <DE89 3704>.').waitFor()
    await page.screenshot({ path: join(folder, 'transfer 3 sent.png') })
    // The browser sends the form again.
    await page.reload()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('This was done already')
  })

  it('the example app sends nothing after the device has denied, and asks again when the user says so', async () => {
    const { page, url, answer, send } = await arrange()
    await page.waitForURL((address) => !address.pathname.startsWith('/mfa') || address.pathname === '/mfa/recovery')
    await page.goto(url)
    await send()

    await answer('deny')
    await page.getByRole('heading', { name: 'You denied this' }).waitFor()
    await page.screenshot({ path: join(folder, 'transfer 4 denied.png') })
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.getByRole('heading', { name: 'Approve this action' }).waitFor()
    await answer('approve')

    await page.getByText('sent to Anna').waitFor()
    expect(await page.locator('.done').count()).toBe(1)
  })

  it('the example app sends money without JavaScript', async () => {
    const { page, answer, send } = await arrange(false)
    await send()

    await page.getByRole('button', { name: 'I’ve approved it' }).click()
    const before = await page.getByRole('heading', { level: 1 }).textContent()
    await answer('approve')
    await page.getByRole('button', { name: 'I’ve approved it' }).click()

    expect(before).toBe('Approve this action')
    expect(await page.locator('.done').count()).toBe(1)
  })
})

describe('a transfer in the example app, with the authenticator in a second browser', () => {
  it('the example app sends money once the person has read it on the authenticator and typed the number', async () => {
    const { page, authenticator, url } = await transferring()

    const shown = await authenticator.locator('#facts').innerText()
    await authenticator.locator('#number').fill(await numberOn(page))
    await button(authenticator, 'Approve').click()

    await page.getByText('€250.00 sent to Anna “Ann” Berg <DE89 3704>.').waitFor()
    expect(shown).toMatch(/^Send €250\.00\s+To\s+Anna “Ann” Berg <DE89 3704>\s+Amount\s+€250\.00\s+Asked by\s+You, in /)
    expect(await headline(authenticator, 'Approved')).toBe(true)
    expect(page.url()).toBe(`${url}/transfer`)
  })

  it('the example app sends nothing that the person denies on the authenticator', async () => {
    const { page, authenticator } = await transferring()

    await button(authenticator, 'Deny').click()

    await page.getByRole('heading', { name: 'You denied this' }).waitFor()
    expect(await headline(authenticator, 'Denied')).toBe(true)
    expect(await page.locator('.done').count()).toBe(0)
  })

  it('the example app sends nothing that the person reports on the authenticator, and says so', async () => {
    const { page, authenticator } = await transferring()

    await button(authenticator, 'I didn’t ask for this\u00a0– deny and block').click()
    await headline(authenticator, 'Denied and blocked')

    expect(await authenticator.getByText('Your sign-ins to all apps have ended.').count()).toBe(1)
    await page.getByRole('heading', { name: 'You reported this' }).waitFor()
    expect(await page.locator('.done').count()).toBe(0)
  })

  /** Somebody whose transfer is on the page and on the authenticator. */
  async function transferring() {
    const { url, page, authenticator } = await enrolled({ locale: 'en' })
    await typeNumber(authenticator, await numberOn(page))
    await button(authenticator, 'Approve').click()
    await page.waitForURL((address) => !address.pathname.startsWith('/mfa') || address.pathname === '/mfa/recovery')
    await sendMoney(page, url)
    await headline(authenticator, 'Approve this?')
    return { url, page, authenticator }
  }
})
