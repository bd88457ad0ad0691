import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { languageNames } from '../../src/contract/languages.ts'
import { random128 } from '../support/device-signer.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { fromDesk, phones, small } from './phone.ts'
import { button, giveBlankCamera, headline, appears, read } from './screen.ts'

const phone = await phones()

const app = 'Internal Knowledge Wikis'
const username = 'maximiliana.featherstonehaugh@example.or'
/** The last one is laid out as the first, with more room. */
const upright = [
  [360, 560],
  [375, 548],
  [390, 664],
  [360, 640],
] as const
const sizes = [[740, 360] as const, ...upright]

const request = {
  ...fromDesk,
  attributes: [{ key: 'Place', value: 'Saint-Germain-en-Laye, France' }, ...fromDesk.attributes],
}

interface OpenRequestOptions {
  readonly pin?: string
  readonly purpose?: string
  readonly more?: object
}

/** A request with long names, at its first question. */
async function openRequest({ pin, purpose, more }: OpenRequestOptions = {}) {
  const { service, page } = await phone.joined({
    ...(pin !== undefined && { pin }),
    username,
    domain: { name: app, keyType: pin === undefined ? 'NONE' : 'PIN' },
    context: { ...small, viewport: { width: 360, height: 560 }, reducedMotion: 'reduce' },
  })
  const attributes = [...(purpose === undefined ? [] : [{ key: 'Purpose', value: purpose }]), ...request.attributes]
  const session = await service.ask(username, { ...request, attributes, ...more })
  await page.locator('#number').waitFor()
  return { service, page, number: session.number!, session }
}

const pin = '2580'

/** The id of a browser in which the person has passed. */
async function passedIn({ client, domainId }: RunningService, userId: string): Promise<string | undefined> {
  const { code = '' } = await client.bypassCodes.create(userId, { usesAllowed: 1, expirationTime: 60 })
  const passed = { user: { id: userId }, otp: code, challenge: random128(), redeem: { browser: {} } }
  return (await client.sessions.create(domainId, passed)).browser?.id
}

/** What has to be on the screen, in the order of reading. */
const parts = ['h1', '.who', '.facts-box', '.question', '.asked', '.keypad', '.outlined', '.answer .filled', '.report']

const partsWhileScanning = parts
  .map((part) => (part === '.keypad' ? '.viewfinder' : part))
  .filter((part) => part !== '.asked')

/** Runs in the page: the parts that are outside of the screen, covered, overlapping, or too small to press. */
function findFaults(selectors: readonly string[]): readonly string[] {
  const places = selectors.map((selector) => {
    const element = document.querySelector(selector)!
    return { selector, element, box: element.getBoundingClientRect() }
  })
  const outside = places.filter(
    ({ box }) => box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth,
  )
  const covered = places.filter(({ element, box }) => {
    const topElement = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    return !element.contains(topElement)
  })
  const overlapping = places.filter(({ box: a }, index) =>
    places
      .slice(index + 1)
      .some(({ box: b }) => a.top < b.bottom && b.top < a.bottom && a.left < b.right && b.left < a.right),
  )
  const targets = [...document.querySelectorAll('button, .boxes')].filter((each) => {
    const { width, height } = each.getBoundingClientRect()
    return each.checkVisibility() && (width < 44 || height < 44)
  })
  return [
    ...outside.map(({ selector }) => `${selector} is outside`),
    ...covered.map(({ selector }) => `${selector} is covered`),
    ...overlapping.map(({ selector }) => `${selector} overlaps`),
    ...targets.map((each) => `${each.outerHTML} is small`),
    ...(scrollY > 0 ? ['scrolled'] : []),
  ]
}

async function faultsAtAllSizes(page: Page, selectors = parts): Promise<readonly string[]> {
  const faults: string[] = []
  // It starts at the size that the page has, so that the screen is laid out once less.
  const currentHeight = page.viewportSize()?.height
  for (const [width, height] of currentHeight === sizes.at(-1)?.[1] ? sizes.toReversed() : sizes) {
    if (page.viewportSize()?.height !== height) await page.setViewportSize({ width, height })
    await page.waitForFunction((wantedHeight) => innerHeight === wantedHeight, height)
    const pageFaults = await page.evaluate(findFaults, selectors)
    faults.push(...pageFaults.map((fault) => `${width}x${height}: ${fault}`))
  }
  return faults
}

/** Shows the request in each of the languages. @returns what is found there. */
async function inLanguages(
  page: Page,
  languages: readonly string[],
  find: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const faults: string[] = []
  for (const language of languages) {
    await page.evaluate((chosen) => localStorage.setItem('second-factor language', chosen), language)
    await page.reload()
    await page.locator(`:lang(${language}) #number`).waitFor()
    faults.push(...(await find()).map((fault) => `${language}: ${fault}`))
  }
  return faults
}

/** Runs in the page: how the parts are reached with large text. */
function readLargeText(selectors: readonly string[]) {
  scrollTo(0, 0)
  const { scrollHeight, scrollWidth } = document.documentElement
  const elements = selectors.map((selector) => document.querySelector(selector)!)
  const tops = elements.map((element) => element.getBoundingClientRect().top)
  const names = [...document.querySelectorAll('.request bdi')]
  scrollTo(0, scrollHeight / 2)
  const stuck = [...document.querySelectorAll('body *')]
    .filter((each) => ['sticky', 'fixed'].includes(getComputedStyle(each).position))
    .reduce((sum, each) => sum + each.getBoundingClientRect().height, 0)
  return {
    isInOrder: tops.every((top, index) => index === 0 || top >= tops[index - 1]!),
    startsAtTop: tops[0]! >= 0 && tops[0]! < innerHeight,
    scrolls: scrollHeight > innerHeight,
    wide: scrollWidth > innerWidth,
    cut: names.some((name) => getComputedStyle(name).textOverflow === 'ellipsis'),
    isStuck: stuck > innerHeight / 2,
    hidden: selectors.filter((_, index) => !elements[index]!.checkVisibility()),
  }
}

describe('a request', () => {
  it('a request fits on one screen where a new browser can be kept, in each language', async () => {
    const { page, number } = await openRequest({ pin, more: { unknownBrowser: 'number' } })

    const faults = await inLanguages(page, ['en', 'de', 'es', 'fr', 'pt', 'ja', 'ar'], async () => {
      const atNumber = await faultsAtAllSizes(page, [...parts, '.check'])
      await page.locator('#number').fill(number)
      await page.locator('#pin').fill('25')
      const atPin = await faultsAtAllSizes(page, [...parts, '.check'])
      return [...atNumber.map((fault) => `number, ${fault}`), ...atPin.map((fault) => `PIN, ${fault}`)]
    })

    expect(faults).toEqual([])
    // Also in Arabic, the end of a place is cut off, and not its beginning.
    const place = page.locator('.facts-box strong').first()
    expect(await place.evaluate((element) => getComputedStyle(element).direction)).toBe('ltr')
  })

  it('a request names its app in full on a small phone, in each language', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const page = await phone.openWith(service, code, { context: { ...small, viewport: { width: 360, height: 640 } } })
    await service.ask('alice', fromDesk)
    await headline(page, 'Sign in to Wiki?')

    const cut = await inLanguages(page, Object.keys(languageNames), async () => {
      const end = await page.locator('h1').evaluate((element) => element.clientWidth)
      return page
        .locator('.named > *')
        .evaluateAll(
          (elements, line) =>
            (elements as HTMLElement[])
              .filter(({ scrollWidth, offsetWidth }) => scrollWidth > offsetWidth || offsetWidth > line)
              .map(({ textContent }) => textContent),
          end,
        )
    })

    expect(cut).toEqual([])
  })

  // Without a PIN, the screen of the number is the same, and the others are lower: only the question for the PIN names the app.
  it('a request fits on one screen without scrolling, at the number, at the PIN and while a code is scanned', async () => {
    const { page, number } = await openRequest({ pin })
    const focused: (string | null | undefined)[] = []

    // The longest words, and the other direction of writing.
    const languages = ['de', 'ar', 'en']
    const faults = await inLanguages(page, languages, async () => {
      const atNumber = await faultsAtAllSizes(page)
      await giveBlankCamera(page)
      await page.locator('.asked .icon-button').tap()
      await page.locator('video.on').waitFor()
      const scanning = await faultsAtAllSizes(page, partsWhileScanning)
      focused.push(await page.evaluate(() => document.activeElement?.getAttribute('aria-describedby')))
      await page.locator('.asked .icon-button').tap()
      await page.locator('#number').fill(number)
      await page.locator('#pin').fill('25')
      const atPin = await faultsAtAllSizes(page)
      return [
        ...atNumber.map((fault) => `number, ${fault}`),
        ...scanning.map((fault) => `scanning, ${fault}`),
        ...atPin.map((fault) => `PIN, ${fault}`),
      ]
    })

    expect(faults).toEqual([])
    expect(focused).toEqual(languages.map(() => 'scanning'))
    expect(await page.locator('.bar').count()).toBe(0)
  })

  it('a request fits even with the longest purpose, and shows a longer one as a fact', async () => {
    const longest = 'allow the new supplier to change the account for all bills.'
    const { page, service } = await openRequest({ purpose: longest })

    expect(await faultsAtAllSizes(page)).toEqual([])
    expect(await page.locator('h1').innerText()).toContain(longest.slice(1))
    await service.ask(username, { attributes: [{ key: 'Purpose', value: `${longest}..` }] })
    await button(page, 'All 2 requests').click()
    await page.locator('button.row').first().click()
    expect(await page.locator('h1').innerText()).toContain('Sign in to')
    expect(await page.locator('#facts').innerText()).toContain('supplier')
  })

  it('a request shows long names in one line each, and in full by a tap', async () => {
    const { page } = await openRequest()
    const cut = () =>
      page.locator('.request bdi').evaluateAll((names) => names.some((name) => name.scrollWidth > name.clientWidth + 1))

    const wasCut = await cut()
    await page.locator('.head').tap()
    const opened = await page.locator('.request').innerText()

    expect(wasCut).toBe(true)
    expect(opened).toContain('(unverified)')
    expect(await page.locator('h1').evaluate((h1) => getComputedStyle(h1).whiteSpace)).toBe('normal')
    await button(page, 'Details').tap()
    expect(await cut()).toBe(true)
  })

  it('a request scrolls in the order of reading at 200 % text, on each size of screen', async () => {
    const { page } = await openRequest({ pin })
    await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'))

    const readings = []
    for (const [width, height] of upright) {
      await page.setViewportSize({ width, height })
      await page.waitForFunction((newHeight) => innerHeight === newHeight, height)
      readings.push(await page.evaluate(readLargeText, parts))
    }

    const expectedReading = {
      isInOrder: true,
      startsAtTop: true,
      scrolls: true,
      wide: false,
      cut: false,
      isStuck: false,
      hidden: [],
    }
    expect(readings).toEqual(upright.map(() => expectedReading))
  })

  it('a request and the question after Deny start at their top, even with large text', async () => {
    const { page } = await openRequest()
    await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'))

    await button(page, 'Decide later').tap()
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await page.locator('button.row').tap()
    await page.locator('.request').waitFor()
    const top = await page.evaluate(() => scrollY)
    await button(page, 'Deny').tap()
    await headline(page, 'Was it you?')

    expect([top, await page.evaluate(() => scrollY)]).toEqual([0, 0])
  })

  it('a request names what a step-up confirms, in the question and in the list', async () => {
    const { service, page } = await phone.joined({ context: small })
    await service.ask('alice', { attributes: [{ key: 'Purpose', value: 'change your password' }] })

    expect(await headline(page, 'Change your password at Wiki?')).toBe(true)
    expect(await page.locator('#facts').innerText()).not.toContain('password')
    await button(page, 'Decide later').click()
    expect(await appears(page.getByText('Change your password'))).toBe(true)
  })

  it('a request warns of a browser in which the person has never passed, whatever its name, and mentions a new place', async () => {
    const { service, page, userId } = await phone.joined({ context: small })
    const from = (place: string, browser: string) => ({
      unknownBrowser: 'number' as const,
      attributes: [
        { key: 'Place', value: place },
        { key: 'Browser', value: browser },
      ],
    })
    const facts = async (session: ReturnType<typeof from> & { readonly browser?: string | undefined }) => {
      await service.ask('alice', session)
      await headline(page, 'Sign in to Wiki?')
      return page.locator('#facts')
    }
    const firstFacts = await facts(from('Lyon', 'Firefox'))
    expect(await appears(firstFacts.getByText('New browser'))).toBe(true)
    expect(await firstFacts.innerText()).not.toContain('New place')
    await button(page, 'Approve').click()
    await page.getByText('Nothing to approve').waitFor()

    // The same names are no reason to trust it.
    const sameFacts = await facts(from('Lyon', 'Firefox'))
    expect(await appears(sameFacts.getByText('New browser'))).toBe(true)
    expect(await sameFacts.innerText()).not.toContain('New place')
    await button(page, 'Approve').click()
    await page.getByText('Nothing to approve').waitFor()

    const otherFacts = await facts({ ...from('Oslo', 'Safari'), browser: await passedIn(service, userId) })
    expect(await appears(otherFacts.getByText('New place'))).toBe(true)
    expect(await otherFacts.innerText()).not.toContain('New browser')
    expect(await otherFacts.locator('b').count()).toBe(0)
  })

  it('a request moves nothing on the screen when a warning arrives', async () => {
    const { service, page } = await phone.joined({ context: { ...small, viewport: { width: 390, height: 844 } } })
    const ask = (place: string) =>
      service.ask('alice', { ...fromDesk, attributes: [{ key: 'Place', value: place }, ...fromDesk.attributes] })
    const { number } = await ask('Lyon, France')
    await page.locator('#number').fill(number!)
    await button(page, 'Approve').click()
    await page.getByText('Nothing to approve').waitFor()
    const held = Promise.withResolvers<void>()
    await page.route(/history/, async (route) => {
      await held.promise
      await route.continue()
    })
    const top = () => page.locator('.keypad').evaluate((keypad) => keypad.getBoundingClientRect().top)

    await ask('Saint-Germain-en-Laye, France')
    await page.locator('.keypad').waitFor()
    const topBefore = await top()
    held.resolve()
    await page.getByText('New place').waitFor()

    expect(await top()).toBe(topBefore)
  })

  it('a request asks for the PIN where it asked for the number, and returns by the erase key', async () => {
    const { page, number } = await openRequest({ pin })
    const place = async () => (await page.locator('.boxes').boundingBox())!.height

    const heightBefore = await place()
    for (const digit of number) await button(page, digit).tap()
    const question = await page.locator('.question label').innerText()
    const autocomplete = await page.locator('#pin').getAttribute('autocomplete')
    await button(page, 'Delete digit').tap()

    expect(question.replace(/[\u2068\u2069]/g, '')).toBe(`Now your PIN for ${app}`)
    expect(autocomplete).toBe('current-password')
    expect(await page.locator('#number').inputValue()).toBe(number.slice(0, 1))
    expect(await place()).toBe(heightBefore)
  })

  it('a request explains what is missing when Approve is pressed too early', async () => {
    const { service, page, number, session } = await openRequest({ pin })
    await page.locator('#number').fill(number)
    await expect.poll(() => button(page, 'Deny').isEnabled()).toBe(true)

    await button(page, 'Approve').dispatchEvent('click')
    await page.getByRole('alert').getByText('Enter 4 digits.').waitFor()

    expect(await read(page, () => document.activeElement?.id)).toBe('pin')
    expect(await service.state(session.id)).toMatchObject({ state: 'pending' })
  })

  it('a request has no keypad on a computer, and still takes the number from the keyboard', async () => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice', fromDesk)
    await headline(page, 'Sign in to Wiki?')

    await page.keyboard.type(session.number!)
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(true)
    await page.keyboard.press('Enter')

    await headline(page, 'Approved')
    expect(await page.locator('.keypad').count()).toBe(0)
    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })
})
