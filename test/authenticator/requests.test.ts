import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { addAnother, fromDesk, phones, small, withClock } from './phone.ts'
import { button, freeze, headline, appears, read } from './screen.ts'

const phone = await phones()

/** A phone whose clock the test moves, with a request that has just appeared. */
async function askedJustNow() {
  const { service, page } = await phone.joined({ prepare: withClock })
  await freeze(page)
  await service.ask('alice')
  await headline(page, 'Sign in to Wiki?')
  const answers: string[] = []
  page.on('request', (request) => void (request.url().endsWith('/answer') && answers.push(request.url())))
  return { page, answers }
}

const names = ['Approve', 'Deny', 'It wasn’t me – block and report']

/** Presses a button that may ignore it; `click` would wait until it does not. */
const press = (page: Page, name: string) => button(page, name).dispatchEvent('click')

/** Names keep their direction by characters that nobody sees. */
const visible = (text: string) => text.replace(/[\u2068\u2069]/g, '')

describe('a request', () => {
  inFullRun(
    'a request appears automatically with its facts, tells screen readers the facts with its field, and counts in the title',
    async () => {
      const { service, page } = await phone.joined()

      await service.ask('alice', fromDesk)
      await headline(page, 'Sign in to Wiki?')

      const facts = await page.locator('.facts-box').innerText()
      const described = await page.getByLabel('Enter the number').evaluate((input) =>
        (input.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .map((id) => document.getElementById(id)?.textContent)
          .join(' '),
      )
      await button(page, 'Details').click()
      const details = await page.locator('.facts').innerText()
      for (const fact of ['203.0.113.7', 'Firefox on Windows', 'just now']) expect(visible(facts)).toContain(fact)
      for (const fact of ['Wiki', 'alice', '203.0.113.7', 'Firefox']) expect(described).toContain(fact)
      for (const fact of ['203.0.113.7', '(unverified)', 'Firefox', 'Windows', 'Time']) expect(details).toContain(fact)
      expect(await page.title()).toBe('(1) Authenticator')
    },
  )

  it('a request for changing devices names the app, and does not mention signing in', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice', { purpose: 'change_devices' })

    await headline(page, 'Change your devices at Wiki?')
    const text = await page.locator('main, body').first().innerText()
    await button(page, 'Approve').click()
    await headline(page, 'Approved')
    await button(page, 'History').click()

    expect(text).not.toContain('Sign in')
    expect(text).toContain('alice')
    expect(await appears(page.getByText('Change to your devices'))).toBe(true)
    expect(await service.state(session.id)).toMatchObject({ state: 'approved', purpose: 'change_devices' })
  })

  it('a request is approved with the number and not without it, and the list returns automatically', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice', { numberMatching: true })

    await page.getByLabel('Enter the number').fill(session.number!.slice(0, 1))
    await expect.poll(() => button(page, 'Deny').isEnabled()).toBe(true)
    await press(page, 'Approve')
    await appears(page.getByRole('alert').getByText('Enter the number from the sign-in page'))
    expect(await read(page, () => document.activeElement?.id)).toBe('number')
    expect(await service.state(session.id)).toMatchObject({ state: 'pending' })
    await page.getByLabel('Enter the number').fill(session.number!)
    await button(page, 'Approve').click()
    await headline(page, 'Approved')

    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
    await page.getByText('Nothing to approve').waitFor()
    expect(await page.title()).toBe('Authenticator')
  })

  inFullRun(
    'a request shows both answers well apart on screens of any size, and can be approved with one thumb',
    async () => {
      const { service, page } = await phone.joined({ context: small })
      const session = await service.ask('alice', fromDesk)
      await headline(page, 'Sign in to Wiki?')

      for (const [width, height] of [
        [320, 600],
        [375, 667],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height })
        await expect.poll(() => read(page, () => `${innerWidth} x ${innerHeight}`)).toBe(`${width} x ${height}`)
        const [denial, approve] = await Promise.all(
          ['Deny', 'Approve'].map(async (name) => (await button(page, name).boundingBox())!),
        )

        expect(denial!.x + denial!.width + 16).toBeLessThanOrEqual(approve!.x)
        expect(approve!.y + approve!.height).toBeLessThanOrEqual(height)
        for (const { height: high } of [denial!, approve!]) expect(high).toBeGreaterThanOrEqual(44)
        expect(await read(page, () => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      }
      const [firstDigit = '', secondDigit = ''] = session.number!
      // A tap fails where something covers the key.
      for (const key of [firstDigit, secondDigit, 'Delete digit', secondDigit]) await button(page, key).tap()
      await button(page, 'Approve').tap()

      await headline(page, 'Approved')
      expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
    },
  )

  inFullRun(
    'a request takes a number that is pasted with spaces, dictated as a sentence or typed on an Arabic keyboard',
    async () => {
      const { service, page } = await phone.joined()
      const { id, number = '' } = await service.ask('alice', { numberMatching: true })
      const field = page.getByLabel('Enter the number')

      for (const typedNumber of [
        ` ${number.split('').join(' ')}\n`,
        `${number}.`,
        number.replace(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'.charAt(+digit)),
      ]) {
        await field.fill('')
        await field.fill(typedNumber)
        await expect.poll(() => field.inputValue()).toBe(number)
      }
      await button(page, 'Approve').click()
      await headline(page, 'Approved')

      expect(await service.state(id)).toMatchObject({ state: 'approved' })
    },
  )

  inFullRun('a request is reported without the number, and explains what happens next until that is read', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice', { numberMatching: true })

    await button(page, 'It wasn’t me – block and report').click()
    await headline(page, 'Blocked. No one got in.')

    expect(await service.state(session.id)).toMatchObject({ state: 'denied', reason: 'reported' })
    await appears(page.getByText('change it soon'))
    expect(await appears(page.getByText('1 request blocked. New requests are paused for 15 minutes.'))).toBe(true)
    await button(page, 'OK').click()
    await page.getByText('Nothing to approve').waitFor()
  })

  inFullRun('a request explains how to continue after a wrong number', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice', { numberMatching: true })

    await page.getByLabel('Enter the number').fill(session.number === '47' ? '48' : '47')
    await button(page, 'Approve').click()

    await headline(page, 'The numbers didn’t match')
    expect(await appears(page.getByText('Start again on the web page.'))).toBe(true)
  })

  inFullRun('a request closes when it is canceled', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice')
    await headline(page, 'Sign in to Wiki?')

    await service.client.sessions.cancel(service.domainId, session.id)

    expect(await headline(page, 'No longer needed')).toBe(true)
  })

  inFullRun('a request closes when it expires', async () => {
    const { service, page, pass } = await phone.joinedAtRest()
    await service.ask('alice')
    await headline(page, 'Sign in to Wiki?')

    await pass(91)

    expect(await headline(page, 'Time ran out')).toBe(true)
  })

  inFullRun(
    'a request can be postponed by its button or the phone’s back key, and does not open again automatically',
    async () => {
      const { service, page } = await phone.joined()
      await service.ask('alice')

      await button(page, 'Decide later').click()
      await headline(page, 'You have a sign-in request')
      await page.locator('button.row').click()
      await headline(page, 'Sign in to Wiki?')
      await page.goBack()

      expect(await headline(page, 'You have a sign-in request')).toBe(true)
    },
  )

  inFullRun('a request closes by a back key that is pressed before the next frame', async () => {
    const { service, page } = await phone.joined()
    await page.clock.install()
    await freeze(page)
    await service.ask('alice')
    await headline(page, 'Sign in to Wiki?')

    await page.goBack()

    expect(await headline(page, 'You have a sign-in request')).toBe(true)
  })

  it('a request shows what the app sends as text, never as markup', async () => {
    const { service, page } = await phone.joined()

    await service.ask('alice', { attributes: [{ key: 'Browser', value: '<img src=x onerror=alert(1)>' }] })

    expect(await appears(page.getByText('<img src=x onerror=alert(1)>'))).toBe(true)
    await button(page, 'Details').click()
    expect(await appears(page.locator('.facts').getByText('<img src=x onerror=alert(1)>'))).toBe(true)
  })
})

describeInFullRun('several requests', () => {
  it('several requests are listed newest first, and open by a tap', async () => {
    const { service, page } = await phone.joined()
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Older' }] })
    await headline(page, 'Sign in to Wiki?')
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Newer' }] })

    await button(page, 'All 2 requests').click()
    const rows = await page.locator('button.row').allInnerTexts()
    await page.locator('button.row').first().click()

    expect(rows.map((row) => /Older|Newer/.exec(row)?.[0])).toEqual(['Newer', 'Older'])
    expect(await page.locator('.facts-box').innerText()).toContain('Newer')
  })

  it('several requests are each answered by their own account', async () => {
    const { service, page } = await phone.joined()
    await addAnother(service, page, 'bob')

    const session = await service.ask('bob')
    await headline(page, 'Sign in to Wiki?')
    const userText = await page.locator('.who').innerText()
    await button(page, 'Approve').click()
    await headline(page, 'Approved')

    expect(userText).toBe('bob · Acme')
    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })
})

describe('an answer', () => {
  inFullRun('an answer can be sent again by the same button after it failed', async () => {
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

  inFullRun('an answer counts once when its response was lost, and shows its real outcome', async () => {
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

  inFullRun(
    'an answer that is on its way holds up no other request, and takes nothing away that is typed there',
    async () => {
      const { service, page } = await phone.joined()
      const first = await service.ask('alice')
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      let answerCount = 0
      await page.route('**/answer', async (route) => {
        answerCount += 1
        if (answerCount === 1) await released
        await route.continue()
      })
      await button(page, 'Approve').click()
      await expect.poll(() => answerCount).toBe(1)
      await page.goBack()
      const second = await service.ask('alice', {
        numberMatching: true,
        attributes: [{ key: 'Browser', value: 'Newer' }],
      })
      await page.locator('button.row').getByText('Newer').click()
      await page.getByLabel('Enter the number').fill(second.number!)

      release()
      await expect.poll(async () => (await service.state(first.id)).state).toBe('approved')
      await page.getByText('Decide later').waitFor()
      await button(page, 'Approve').click()

      await headline(page, 'Approved')
      expect(await service.state(second.id)).toMatchObject({ state: 'approved' })
    },
  )

  it('a tap that was meant for the previous screen answers nothing', async () => {
    const { page, answers } = await askedJustNow()

    for (const name of names) await press(page, name)
    const earlyCount = answers.length
    await page.clock.runFor(1_000)
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(true)
    await press(page, 'Approve')

    expect(earlyCount).toBe(0)
    await expect.poll(() => answers.length).toBe(1)
  })

  it('the second click on a window that covered the app answers nothing, and the keyboard focus stays', async () => {
    const { page, answers } = await askedJustNow()
    await page.clock.runFor(1_000)
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(true)
    await button(page, 'Deny').focus()

    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(false)
    for (const name of names) await press(page, name)
    const focused = await read(page, () => document.activeElement?.textContent)
    const disabled = await page.locator(':disabled').count()
    await page.clock.runFor(1_000)

    expect([answers.length, focused, disabled]).toEqual([0, 'Deny', 0])
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(true)
  })
})

describeInFullRun('a phone that was asleep', () => {
  it('a phone that was asleep shows all pending requests when the app is opened', async () => {
    const { service, page } = await phone.joined()
    await page.goto(`${service.url}/healthz`)
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'First' }] })
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Second' }] })

    await page.goto(`${service.url}/authenticator/`)

    await headline(page, 'Which one is yours?')
    expect(await page.locator('button.row').count()).toBe(2)
  })
})
