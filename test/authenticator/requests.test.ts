import { describe, expect, it } from 'vitest'

import { createTestClock } from '../../src/testing/clock.ts'
import { startService } from '../support/running-service.ts'
import { add, addAnother, button, fromDesk, headline, phones, seen, small } from './phone.ts'

const phone = phones()

/** A phone whose clock the test moves, with a request that has just appeared. */
async function askedJustNow() {
  const { service, page } = await phone.joined()
  await page.clock.install()
  await page.reload()
  await page.getByText('Nothing to approve').waitFor()
  await service.ask('alice')
  await headline(page, 'Sign in as alice?')
  return page
}

describe('a request', () => {
  it('appears by itself, with who, from where, with what and when; the title counts it', async () => {
    const { service, page } = await phone.joined()

    await service.ask('alice', fromDesk)
    await headline(page, 'Sign in as alice?')

    const facts = await page.locator('.facts').innerText()
    for (const fact of ['203.0.113.7', '(unverified)', 'Firefox', 'Windows', 'Time']) expect(facts).toContain(fact)
    expect(await page.title()).toBe('(1) Authenticator')
  })

  it('for changing devices names the app, and says nothing of signing in', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice', { purpose: 'change_devices' })

    await headline(page, 'Change your devices at Wiki?')
    const text = await page.locator('main, body').first().innerText()
    await button(page, 'Approve').click()
    await headline(page, 'Approved')
    await button(page, 'History').click()

    expect(text).not.toContain('Sign in')
    expect(text).toContain('alice')
    expect(await seen(page.getByText('Change to your devices'))).toBe(true)
    expect(await service.state(session.id)).toMatchObject({ state: 'approved', purpose: 'change_devices' })
  })

  it('is approved with the number, and the list comes back by itself', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice', { numberMatching: true })

    await page.getByLabel('Enter the number').fill(session.number!)
    await button(page, 'Approve').click()
    await headline(page, 'Approved')

    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
    await page.getByText('Nothing to approve').waitFor()
    expect(await page.title()).toBe('Authenticator')
  })

  it('is approved with one thumb: large keys stand beside the buttons, and nothing lies over them', async () => {
    const { service, page } = await phone.joined({ context: small })
    const session = await service.ask('alice', fromDesk)
    await page.getByLabel('Enter the number').waitFor()

    const [first = '', second = ''] = session.number!
    for (const key of [first, second, 'Delete digit', second]) await button(page, key).tap()
    await button(page, 'Approve').tap()

    await headline(page, 'Approved')
    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })

  it.each([
    [320, 600],
    [375, 667],
    [390, 844],
  ])('has both answers in sight and apart on a screen of %i x %i', async (width, height) => {
    const { service, page } = await phone.joined({ context: { ...small, viewport: { width, height } } })
    await service.ask('alice', fromDesk)
    await headline(page, 'Sign in as alice?')

    const [deny, approve] = await Promise.all(
      ['Deny', 'Approve'].map(async (name) => (await button(page, name).boundingBox())!),
    )

    expect(deny!.x + deny!.width + 16).toBeLessThanOrEqual(approve!.x)
    expect(approve!.y + approve!.height).toBeLessThanOrEqual(height)
    for (const { height: high } of [deny!, approve!]) expect(high).toBeGreaterThanOrEqual(44)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  })

  it('is not approved without the number', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice', { numberMatching: true })

    await button(page, 'Approve').click()

    expect(await page.getByLabel('Enter the number').evaluate((field: HTMLInputElement) => field.validity.valid)).toBe(
      false,
    )
    expect(await service.state(session.id)).toMatchObject({ state: 'pending' })
  })

  it.each([
    ['Deny', 'Denied', 'user_denied'],
    ['This wasn’t me', 'Reported', 'reported'],
  ])('%s needs no number', async (name, word, reason) => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice', { numberMatching: true })

    await button(page, name).click()
    await headline(page, word)

    expect(await service.state(session.id)).toMatchObject({ state: 'denied', reason })
  })

  it('that was reported says what happens next, until that was read', async () => {
    const { service, page } = await phone.joined()
    await service.ask('alice')

    await button(page, 'This wasn’t me').click()

    await seen(page.getByText('change it soon'))
    expect(await seen(page.getByText('New requests are blocked for 15 minutes'))).toBe(true)
    await button(page, 'OK').click()
    await page.getByText('Nothing to approve').waitFor()
  })

  it('says where to go on after a wrong number', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice', { numberMatching: true })

    await page.getByLabel('Enter the number').fill(session.number === '47' ? '48' : '47')
    await button(page, 'Approve').click()

    await headline(page, 'The numbers didn’t match')
    expect(await seen(page.getByText('Start again on the web page.'))).toBe(true)
  })

  it('leaves by itself when it is cancelled', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice')
    await headline(page, 'Sign in as alice?')

    await service.client.sessions.cancel(service.domainId, session.id)

    expect(await headline(page, 'No longer needed')).toBe(true)
  })

  it('leaves by itself when its time is over', async () => {
    const clock = createTestClock()
    const service = await startService({ service: { clock } })
    const { code } = await service.enroll('alice')
    const page = await phone.open(service)
    await page.clock.install()
    await page.goto(`${service.url}/authenticator/#code=${code}`)
    await add(page)
    await service.ask('alice')
    await headline(page, 'Sign in as alice?')

    await page.clock.fastForward(91_000)
    await clock.advance(91)

    expect(await headline(page, 'Time ran out')).toBe(true)
  })

  it('can be put off, and does not press itself on whoever did', async () => {
    const { service, page } = await phone.joined()
    await service.ask('alice')

    await button(page, 'Decide later').click()
    await headline(page, 'You have a sign-in request')
    await page.locator('button.row').click()

    expect(await headline(page, 'Sign in as alice?')).toBe(true)
  })

  it('is left by the back key of the phone', async () => {
    const { service, page } = await phone.joined()
    await service.ask('alice')
    await headline(page, 'Sign in as alice?')

    await page.goBack()

    expect(await headline(page, 'You have a sign-in request')).toBe(true)
  })

  it('is left by a back key that is pressed before the page has drawn its next frame', async () => {
    const { service, page } = await phone.joined()
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 1_000)
    await service.ask('alice')
    await headline(page, 'Sign in as alice?')

    await page.goBack()

    expect(await headline(page, 'You have a sign-in request')).toBe(true)
  })

  it('opens by itself as soon as the one before is answered', async () => {
    const { service, page } = await phone.joined()
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Older' }] })
    await headline(page, 'Sign in as alice?')
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Newer' }] })
    await button(page, 'All 2 requests').waitFor()

    await button(page, 'Deny').click()
    await headline(page, 'Denied')
    await headline(page, 'Sign in as alice?')

    expect(await page.locator('.facts').innerText()).toContain('Newer')
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(true)
  })

  it('tells people what the app sends as text, never as markup', async () => {
    const { service, page } = await phone.joined()

    await service.ask('alice', { attributes: [{ key: 'Browser', value: '<img src=x onerror=alert(1)>' }] })

    expect(await seen(page.getByText('<img src=x onerror=alert(1)>'))).toBe(true)
  })
})

describe('several requests', () => {
  it('are listed, newest first, and opened by a tap', async () => {
    const { service, page } = await phone.joined()
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Older' }] })
    await headline(page, 'Sign in as alice?')
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Newer' }] })

    await button(page, 'All 2 requests').click()
    const rows = await page.locator('button.row').allInnerTexts()
    await page.locator('button.row').first().click()

    expect(rows.map((row) => /Older|Newer/.exec(row)?.[0])).toEqual(['Newer', 'Older'])
    expect(await page.locator('.facts').innerText()).toContain('Newer')
  })

  it('are answered each by the account it is for', async () => {
    const { service, page } = await phone.joined()
    await addAnother(service, page, 'bob')

    const session = await service.ask('bob')
    await headline(page, 'Sign in as bob?')
    await button(page, 'Approve').click()
    await headline(page, 'Approved')

    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })
})

describe('an answer', () => {
  it('that cannot be sent says so, and is sent again by the same button', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice', { numberMatching: true })
    await page.getByLabel('Enter the number').fill(session.number!)
    await page.route('**/answer', (route) => route.abort())

    await button(page, 'Approve').click()
    await page.getByRole('alert').getByText('The service isn’t responding.').waitFor()
    await page.unroute('**/answer')
    await button(page, 'Approve').click()

    expect(await headline(page, 'Approved')).toBe(true)
  })

  it('whose receipt was lost counts once, and is told as it was', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice')
    let lost = 0
    await page.route('**/answer', async (route) => {
      const response = await route.fetch()
      if (lost++ === 0) return route.abort()
      return route.fulfill({ response })
    })

    await button(page, 'Approve').click()

    await headline(page, 'Approved')
    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })

  it('is not given by a tap that was meant for what was there before', async () => {
    const page = await askedJustNow()

    const early = await button(page, 'Approve').isDisabled()
    await page.clock.fastForward(500)

    expect(early).toBe(true)
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(true)
  })

  it('is not given by the second click on a window that lay over it and is gone', async () => {
    const page = await askedJustNow()
    await page.clock.fastForward(500)
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(true)

    await page.evaluate(() => dispatchEvent(new Event('focus')))

    const answers = await Promise.all(
      ['Approve', 'Deny', 'This wasn’t me'].map((name) => button(page, name).isDisabled()),
    )
    expect(answers).toEqual([true, true, true])
    await page.clock.fastForward(500)
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(true)
  })
})

describe('a phone that slept', () => {
  it('finds everything that is pending when it is opened', async () => {
    const { service, page } = await phone.joined()
    await page.goto('about:blank')
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'First' }] })
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Second' }] })

    await page.goto(`${service.url}/authenticator/`)

    await headline(page, 'Which one is yours?')
    expect(await page.locator('button.row').count()).toBe(2)
  })
})
