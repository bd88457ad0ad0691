import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { phoneOptions } from '../authenticator/phone.ts'
import { createAccount, numberOn, password } from '../story/person.ts'
import { startExampleApp } from '../support/example-app.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'

const chromium = await sharedChromium()

/** A person with an account and its password, whose presses and numbers are counted on the web and on the phone. */
async function arrange() {
  const url = await startExampleApp({ recoveryCodes: true })
  const page = await keptPage(chromium, { viewport: { width: 1280, height: 800 } })
  const phone = await keptPage(chromium, { ...phoneOptions, reducedMotion: 'reduce' })
  await createAccount(page, url, 'anna', 'Anna Berg')
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Username').fill('anna')
  await page.getByLabel('Password').fill(password)
  const done = { presses: 0, numbers: 0 }
  const press = async (target: Page, name: string | RegExp, role: 'button' | 'link' = 'button') => {
    done.presses += 1
    await target.getByRole(role, { name }).click()
  }
  const type = async (number: string) => {
    done.numbers += 1
    await phone.getByLabel('Enter the number from the sign-in page').fill(number)
  }
  return { url, page, phone, done, press, type }
}

type Arranged = Awaited<ReturnType<typeof arrange>>

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()

const codesOn = (page: Page) => page.locator('.codes li').allInnerTexts()

/** From the choice of the phone to the offer of recovery codes. */
async function setUpPhone({ page, phone, press, type }: Arranged): Promise<void> {
  await press(page, /^My phone/, 'link')
  await heading(page, 'Set up your device')
  const next = (await page.locator('.steps li').last().innerText()).replace(/^.*“(.*)”$/, '$1')
  const link = await page.locator('#link').getAttribute('href')
  // A camera opens the link of the code.
  await phone.goto(link ?? '')
  // The page has told what the phone shows next, in the same words.
  await press(phone, next)
  await page.locator('#number').waitFor()
  await type(await numberOn(page))
  await press(phone, 'Approve')
  await heading(page, 'Save recovery codes')
}

describe('the first five minutes', () => {
  it('setup with a phone takes six presses and one number, from the login to saved codes', async () => {
    const arranged = await arrange()
    const { url, page, done, press } = arranged
    await press(page, 'Sign in')
    await heading(page, 'How will you confirm sign-ins?')
    // Both choices are equal, and neither is below the fold.
    const choices = await page.locator('.choices .row').all()
    const boxes = await Promise.all(choices.map((choice) => choice.boundingBox()))
    expect(boxes.map((box) => box?.width)).toEqual([boxes[0]?.width, boxes[0]?.width])
    for (const box of boxes) expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThan(800)

    await setUpPhone(arranged)
    await press(page, 'Show my recovery codes')
    await heading(page, 'Recovery codes')
    const codes = await codesOn(page)
    await press(page, "I've saved them")
    await page.waitForURL(`${url}/account`)

    expect(codes).toHaveLength(5)
    expect(done).toEqual({ presses: 6, numbers: 1 })
    expect(await page.locator('body').innerText()).toContain('Anna Berg')
  })

  it('setup with the passkey of this computer takes at most five presses and no number', async () => {
    const { url, page, done, press } = await arrange()
    await addAuthenticator(page)

    await press(page, 'Sign in')
    await press(page, /^This computer/)
    await heading(page, 'Save recovery codes')
    await press(page, 'Show my recovery codes')
    await heading(page, 'Recovery codes')
    const codes = await codesOn(page)
    await press(page, "I've saved them")
    await page.waitForURL(`${url}/account`)

    expect(codes).toHaveLength(5)
    expect(done.presses).toBeLessThanOrEqual(5)
    expect(done.numbers).toBe(0)
  })

  it('setup loses nothing by a reload, the back button, a double click or an abandoned step', async () => {
    const arranged = await arrange()
    const { url, page, press } = arranged
    await press(page, 'Sign in')
    // The other choice is one step back.
    await press(page, /^My phone/, 'link')
    await heading(page, 'Set up your device')
    await page.goBack()
    await heading(page, 'How will you confirm sign-ins?')
    await page.reload()
    await setUpPhone(arranged)

    await page.getByRole('button', { name: 'Show my recovery codes' }).dblclick()
    await heading(page, 'Recovery codes')
    const codes = await codesOn(page)
    await page.reload()
    expect(await codesOn(page)).toEqual(codes)

    // The page of the offer is behind us: the browser may show it again, and it makes nothing new.
    await page.goBack()
    await page.goto(`${url}/mfa/devices/codes`)
    expect(await codesOn(page)).toEqual(codes)

    // Whoever leaves here, and comes back later, is asked before the codes are replaced.
    await press(page, "I've saved them")
    await page.waitForURL(`${url}/account`)
    await page.goto(`${url}/mfa/devices/codes`)
    await heading(page, "You've already seen these codes")
    await press(page, 'Keep the old ones', 'link')
    await page.getByText('5 of 5 left').waitFor()
  })
})
