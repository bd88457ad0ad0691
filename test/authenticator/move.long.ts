import type { BrowserContextOptions, Page, Request } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { axeViolations } from '../support/axe.ts'
import { startService } from '../support/running-service.ts'
import type { RunningService } from '../support/running-service.ts'
import { phones, small } from './phone.ts'
import { approveWith, button, headline, appears, read } from './screen.ts'
import { addWithPin, beginMove, compared, showMove } from './move.ts'

const phone = await phones()
/** Where the service worker is what matters. */
const installing = await phones({ serviceWorkers: 'allow' })

/** An old phone that shows the code of a move, and what a new one opens. */
async function moving(context: BrowserContextOptions = {}) {
  const { service, page: old } = await phone.joined({ context })
  const link = await beginMove(old)
  return { service, old, link }
}

/** A new phone that asks for the account. */
async function asking(service: RunningService, link: string) {
  const page = await phone.open(service, link)
  await ask(page)
  return page
}

async function ask(page: Page): Promise<void> {
  await headline(page, 'Add this account?')
  await button(page, 'Add this account').click()
  await headline(page, 'Confirm on your old phone')
}

/** Whether a new phone gives its move up. */
function isCancellation(request: Request): boolean {
  const [, payload = ''] = (request.postData() ?? '').split('.')
  return request.url().endsWith('/move/collect') && Buffer.from(payload, 'base64url').includes('"cancel":true')
}

/** Each screen of a move starts at its headline, also after a press of a button that is gone. */
const focused = (page: Page) => read(page, () => document.activeElement?.tagName)

describe('moving to a new phone', () => {
  it('an account moves when the old phone confirms, which says where it went, and the code leaves the address bar', async () => {
    const { service, old, link } = await moving()
    const violations = await axeViolations(old)
    const fresh = await phone.open(service, link)
    expect(fresh.url()).toBe(`${service.url}/authenticator/`)
    await headline(fresh, 'Add this account?')
    expect(await fresh.locator('.facts').innerText()).toContain('alice')
    await appears(old.getByText('has scanned the code'))
    await button(fresh, 'Add this account').click()
    await old.getByRole('heading', { name: /^Move this account to .*Chrome on Linux.*\?$/ }).waitFor()
    expect(await focused(old)).toBe('H1')
    await headline(fresh, 'Confirm on your old phone')
    violations.push(...(await axeViolations(old)), ...(await axeViolations(fresh)))
    expect(await compared(old)).toBe(await compared(fresh))

    await button(old, 'Move').click()

    await fresh.getByText('Nothing to approve').waitFor()
    await headline(old, 'Account moved')
    expect(await appears(old.getByText('It’s now on'))).toBe(true)
    expect(await focused(old)).toBe('H1')
    await service.ask('alice')
    await headline(fresh, 'Sign in to Wiki?')
    await button(old, 'OK').click()
    expect(await headline(old, 'Add an account')).toBe(true)
    expect(violations).toEqual([])
  })

  it('nothing is moved when either phone cancels a move, and the other phone is told', async () => {
    const { service, old, link } = await moving()
    const fresh = await asking(service, link)
    await old.getByRole('heading', { name: /^Move this account/ }).waitFor()

    await button(fresh, 'Cancel').click()
    await old.getByRole('alert').getByText('Nothing was moved').waitFor()
    await fresh.goto(`${service.url}/authenticator/${await showMove(old, button(old, 'Show a new code').click())}`)
    await ask(fresh)
    await old.getByRole('heading', { name: /^Move this account/ }).waitFor()
    await button(old, 'Cancel').click()

    expect(await appears(fresh.getByRole('alert').getByText('Nothing was moved'))).toBe(true)
    expect(await focused(fresh)).toBe('H1')
    await old.goto(`${service.url}/authenticator/`)
    expect(await appears(old.getByText('Nothing to approve'))).toBe(true)
  })

  it('a move that was confirmed cannot be canceled on the new phone, which gets the account', async () => {
    const { service, old, link } = await moving()
    const fresh = await asking(service, link)
    await old.getByRole('heading', { name: /^Move this account/ }).waitFor()
    await fresh.route('**/move/collect', (route) =>
      isCancellation(route.request()) ? route.continue() : route.abort(),
    )
    await button(old, 'Move').click()
    await headline(old, 'Account moved')

    await button(fresh, 'Cancel').click()

    expect(await appears(fresh.getByText('Nothing to approve'))).toBe(true)
  })

  it('a new phone that has collected its account does not give the move up, and shows what is opened next', async () => {
    const { service, old, link } = await moving()
    const fresh = await asking(service, link)
    const cancellations: Request[] = []
    fresh.on('request', (request) => {
      if (isCancellation(request)) cancellations.push(request)
    })
    await old.getByRole('heading', { name: /^Move this account/ }).waitFor()
    await button(old, 'Move').click()
    await fresh.getByText('Nothing to approve').waitFor()

    await fresh.goto(`${service.url}/authenticator/#move=${'A'.repeat(22)}`)

    expect(await appears(fresh.getByRole('alert').getByText('That code was used already'))).toBe(true)
    expect(cancellations).toEqual([])
  })

  it('a move is given up when the new phone leaves before it has claimed the account', async () => {
    const { service, link } = await moving()
    const fresh = await phone.open(service)
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    await fresh.route('**/move/claim', async (route) => {
      await left
      await route.continue()
    })
    await fresh.evaluate((fragment) => void (location.hash = fragment), link)
    await fresh.getByText('One moment').waitFor()

    await button(fresh, 'Back').click()
    await headline(fresh, 'Add an account')
    const givenUp = fresh.waitForResponse((response) => response.url().endsWith('/move/collect'))
    leave()

    expect((await givenUp).status()).toBe(200)
  })

  it('the old phone shows a new move code only on request after 30 seconds', async () => {
    const { page, pass } = await phone.joinedAtRest()
    await beginMove(page)
    expect(await page.locator('img.qr-code').count()).toBe(1)

    await pass(31)

    await button(page, 'Show a new code').waitFor()
    expect(await page.locator('img.qr-code').count()).toBe(0)
  })

  it('the old phone shows the move code although the browser has no room left to keep its script', async () => {
    const { service, page } = await installing.joined()
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await page.reload()
    const session = await page.context().newCDPSession(page)
    await session.send('Storage.overrideQuotaForOrigin', { origin: service.url, quotaSize: 1 })

    await beginMove(page)

    expect(await page.locator('img.qr-code').count()).toBe(1)
  })

  it('the old phone withdraws the move code when the person leaves', async () => {
    const { service, old, link } = await moving()
    const withdrawn = old.waitForResponse((response) => response.url().endsWith('/device/move/cancel'))
    await button(old, 'Back').click()
    await withdrawn

    const fresh = await phone.open(service, link)

    expect(await appears(fresh.getByRole('alert').getByText('was used already'))).toBe(true)
  })

  it('a move asks both phones for the PIN, again after a wrong one, and the PIN stays the same', async () => {
    const service = await startService({ domain: { keyType: 'PIN' } })
    const { code } = await service.enroll('alice')
    const old = await phone.open(service, `#code=${code}`, small)
    await addWithPin(old)
    await old.locator('.coded .icon-button').click()
    await button(old, 'Move to a new phone').click()
    await old.getByLabel('Your PIN').waitFor()
    const violations = await axeViolations(old)
    const link = await showMove(old, typePin(old, '2580'))
    const fresh = await phone.open(service, link, small)
    await button(fresh, 'Add this account').click()
    await fresh.getByLabel('Your PIN').waitFor()
    violations.push(...(await axeViolations(fresh)))
    await typePin(fresh, '1357')
    await button(old, 'Move').click()
    await fresh.getByText('4 attempts left').waitFor()

    await typePin(fresh, '2580')
    await fresh.getByText('Nothing to approve').waitFor()

    const id = await approveWith(service, fresh, 'Your PIN', '2580')
    expect(await service.state(id)).toMatchObject({ state: 'approved' })
    expect(violations).toEqual([])
  })
})

describe('a move whose PIN is forgotten', () => {
  it('a move that was confirmed is left without the PIN only by removing the account, which leaves no device behind', async () => {
    const service = await startService({ domain: { keyType: 'PIN' } })
    const { code, userId } = await service.enroll('alice')
    const old = await phone.openWith(service, code, { pin: '2580' })
    await button(old, 'Options for alice at Wiki').click()
    await button(old, 'Move to a new phone').click()
    const link = await showMove(old, typePin(old, '2580'))
    const fresh = await phone.open(service, link, small)
    await button(fresh, 'Add this account').click()
    await typePin(fresh, '1357')
    await button(old, 'Move').click()
    await fresh.getByText('4 attempts left').waitFor()

    await button(fresh, 'Cancel').click()
    await headline(fresh, 'Remove this account?')
    await button(fresh, 'Keep').click()
    await fresh.getByLabel('Your PIN').waitFor()
    const kept = await service.client.tokens.get(service.domainId, userId)
    await button(fresh, 'Cancel').click()
    await button(fresh, 'Remove').click()
    await headline(fresh, 'Add an account')

    expect(kept).toMatchObject({ state: 'active' })
    await expect(service.client.tokens.get(service.domainId, userId)).rejects.toMatchObject({
      code: 'api.error.notfound.token',
    })
  })
})

async function typePin(page: Page, pin: string): Promise<void> {
  await page.getByLabel('Your PIN').fill(pin)
  await button(page, 'Continue').click()
}
