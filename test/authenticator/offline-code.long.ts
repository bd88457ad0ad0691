import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { phones } from './phone.ts'
import { button, appears, setHidden, read } from './screen.ts'

const phone = await phones()
const installing = await phones({ serviceWorkers: 'allow' })

const copyButton = (page: Page) => page.locator('button.code')
const show = async (page: Page) => {
  await button(page, 'Show code for alice at Wiki').click()
  await copyButton(page).waitFor()
}

/** Resolves when the app would wait for its next second. It never comes, as in a page that is hidden for long. */
const stopTicking = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const wait = window.setTimeout
        const stopped = (...timer: Parameters<typeof wait>) => {
          if (timer[1] !== 1000) return wait(...timer)
          resolve()
          return 0
        }
        window.setTimeout = Object.assign(stopped, wait)
      }),
  )

/** Runs in the page: how far the stored account says that its clock is off, seconds. */
async function offsetInStore(): Promise<number> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open('second-factor', 1)
    opening.addEventListener('success', () => resolve(opening.result))
  })
  const reading = database.transaction('accounts').objectStore('accounts').getAll()
  await new Promise((resolve) => reading.addEventListener('success', resolve))
  database.close()
  return (reading.result as { clockOffset: number }[])[0]?.clockOffset ?? Number.NaN
}

describe('the offline code of an account', () => {
  it('the offline code is shown on request with the time it is valid, has the keyboard focus, and signs in', async () => {
    const { service, page } = await phone.joined()

    expect(await page.getByText(/\d{3} \d{3}/).count()).toBe(0)
    await show(page)
    const otp = (await copyButton(page).innerText()).replace(/\D/g, '')

    expect(await page.locator('.code-left').innerText()).toMatch(/^\d{1,2} s$/)
    expect(await read(page, () => document.activeElement?.className)).toBe('code')
    expect(await service.ask('alice', { otp })).toMatchObject({ state: 'approved', factor: 'otp' })
  })

  it('the offline code needs no connection', async () => {
    const { service, page } = await installing.joined()
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await page.context().setOffline(true)
    await page.reload()

    await show(page)
    const otp = (await copyButton(page).innerText()).replace(/\D/g, '')

    expect(await service.ask('alice', { otp })).toMatchObject({ state: 'approved' })
  })

  it('the offline code needs no connection even where the clock of the phone is wrong by hours', async () => {
    const clockAhead = (page: Page) =>
      page.addInitScript(() => {
        const now = Date.now.bind(Date)
        Date.now = () => now() + 2 * 60 * 60 * 1000
      })
    // The account was added while the clock was right.
    const { service, page } = await installing.joined({ prepare: clockAhead })
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await expect.poll(() => read(page, offsetInStore)).toBeLessThan(-7000)
    await page.context().setOffline(true)
    await page.reload()

    await show(page)
    const otp = (await copyButton(page).innerText()).replace(/\D/g, '')

    expect(await service.ask('alice', { otp })).toMatchObject({ state: 'approved' })
  })

  it('the offline code is copied without the space', async () => {
    const { service, page } = await phone.joined()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await show(page)

    await copyButton(page).click()
    await page.getByText('Copied').waitFor()

    const otp = await page.evaluate(() => navigator.clipboard.readText())
    expect(otp).toMatch(/^\d{6}$/)
    expect(await service.ask('alice', { otp })).toMatchObject({ state: 'approved' })
  })

  it('the shortcut of the installed app opens the offline codes', async () => {
    const { service, page } = await phone.joined()

    await page.goto(`${service.url}/healthz`)
    await page.goto(`${service.url}/authenticator/#codes`)

    await expect.poll(() => read(page, () => document.activeElement?.id)).toBe('accounts')
    expect(page.url()).toBe(`${service.url}/authenticator/`)
  })

  it('the offline code is current when the person returns, although the browser had stopped the timers of the page', async () => {
    const { service, page, pass } = await phone.joinedAtRest()
    await stopTicking(page)
    await setHidden(page, true)
    await pass(90)
    await setHidden(page, false)

    await show(page)
    const otp = (await copyButton(page).innerText()).replace(/\D/g, '')

    expect(await service.ask('alice', { otp })).toMatchObject({ state: 'approved' })
  })

  it('the offline code is hidden again when the page is left', async () => {
    const { page } = await phone.joined()
    await show(page)

    await setHidden(page, true)
    await setHidden(page, false)

    expect(await appears(button(page, 'Show code for alice at Wiki'))).toBe(true)
  })
})
