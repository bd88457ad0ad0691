import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { axeViolations } from '../support/axe.ts'
import { startService } from '../support/running-service.ts'
import { everyApprovalScreen, everyUnansweredApprovalScreen } from './every-approval-screen.ts'
import { everyScreen } from './every-screen.ts'
import { phones, small } from './phone.ts'
import { button, headline, appears, read } from './screen.ts'
import { seedAccount } from './seed.ts'

const phone = await phones()

/** The rules that depend on colors or on the language. The others are the same in each walk. */
const repeatedRules = ['color-contrast', 'html-has-lang', 'html-lang-valid', 'document-title', 'button-name', 'label']

/** Collects what axe calls a violation, screen by screen, and what is too wide. */
function inspector(page: Page, rules?: readonly string[]) {
  const violations: string[] = []
  return {
    violations,
    async check(screen: string) {
      await page.locator('h1').waitFor()
      violations.push(...(await axeViolations(page, { rules })).map((violation) => `${screen}: ${violation}`))
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
      if (wide) violations.push(`${screen}: wider than the screen`)
      violations.push(...(await page.evaluate(smallTargets)).map((target) => `${screen}: small target: ${target}`))
    },
  }
}

/** Runs in the page: what is pressed or typed into and lower than a finger needs. */
function smallTargets(): readonly string[] {
  return [...document.querySelectorAll('button, input, select')]
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 44)
    .map((each) => each.outerHTML)
}

type ColorScheme = 'light' | 'dark'

/** Nothing moves while axe looks. */
const calm = (colorScheme: ColorScheme) => ({ ...small, colorScheme, reducedMotion: 'reduce' }) as const

type Walk = readonly [
  colorScheme: ColorScheme,
  locale: string,
  width: number,
  height: number,
  rules: readonly string[] | undefined,
]

/** Light and dark, in both directions of writing, upright and lying. */
const walks: readonly Walk[] = [
  ['light', 'en-US', 390, 700, undefined],
  ['dark', 'ar', 320, 700, repeatedRules],
  ['light', 'ja-JP', 844, 390, repeatedRules],
  ['dark', 'ar', 390, 700, repeatedRules],
  ['dark', 'de-DE', 320, 700, repeatedRules],
]

describe('every screen', () => {
  it.each(walks)(
    'every screen is accessible: %s, %s, %i × %i',
    async (colorScheme, locale, width, height, rules) => {
      const service = await startService()
      const page = await phone.open(service, '', {
        ...small,
        viewport: { width, height },
        ...(locale !== 'en-US' && { locale }),
        colorScheme,
        reducedMotion: 'reduce',
      })
      const inspect = inspector(page, rules)

      await everyScreen(service, page, (screen) => inspect.check(screen))

      expect(inspect.violations).toEqual([])
      // Fifteen screens, and axe looks at each.
    },
    60_000,
  )
})

describe('every screen of an approval', () => {
  it.each(walks)(
    'every screen of an approval is accessible: %s, %s, %i × %i',
    async (colorScheme, locale, width, height, rules) => {
      const service = await startService()
      const { code } = await service.enroll('alice')
      const language = locale === 'en-US' ? {} : { locale }
      const context = { ...calm(colorScheme), ...language, viewport: { width, height } }
      const page = await phone.open(service, '', context)
      await seedAccount(page, service.url, code)
      await page.locator('.coded').waitFor()
      const inspect = inspector(page, rules)

      await everyApprovalScreen(service, page, (screen) => inspect.check(screen))
      const rest = await phone.joinedAtRest({ context })
      const inspectAtRest = inspector(rest.page, rules)
      await everyUnansweredApprovalScreen(rest, (screen) => inspectAtRest.check(screen))

      expect([...inspect.violations, ...inspectAtRest.violations]).toEqual([])
    },
    120_000,
  )
})

type Colors = readonly [colorScheme: ColorScheme, rules: readonly string[] | undefined]

const inLight: Colors = ['light', undefined]
const inDark: Colors = ['dark', repeatedRules]

describe('every screen of a domain with a PIN', () => {
  it.each<Colors>([inLight, inDark])(
    'every screen of a domain with a PIN is accessible: %s',
    async (colorScheme, rules) => {
      const service = await startService({ domain: { keyType: 'PIN', maxAllowedRetries: 2 } })
      const { code } = await service.enroll('alice')
      const page = await phone.open(service, `#code=${code}`, calm(colorScheme))
      const inspect = inspector(page, rules)

      await button(page, 'Add this account').click()
      await headline(page, 'Choose a PIN')
      await inspect.check('a new PIN')
      await page.getByLabel('PIN', { exact: true }).fill('2580')
      await page.getByLabel('Repeat PIN').fill('2580')
      await button(page, 'Continue').click()
      await button(page, 'Show code for alice at Wiki').click()
      await inspect.check('the PIN of a code')
      await button(page, 'Cancel').click()
      await service.ask('alice', { numberMatching: true })
      await inspect.check('the number of a request')
      await page.getByLabel('Enter the number').fill('00')
      await page.getByLabel('Your PIN').fill('1357')
      await inspect.check('the PIN of a request')
      await button(page, 'Approve').click()
      await appears(page.getByText('One attempt left'))
      await inspect.check('a wrong PIN')
      await page.getByLabel('Your PIN').fill('1357')
      await button(page, 'Approve').click()
      await headline(page, 'Account removed')
      await inspect.check('the last try')
      await button(page, 'OK').click()
      await appears(page.getByText('This account was removed at Acme.'))
      await inspect.check('a removed account')

      expect(inspect.violations).toEqual([])
    },
    60_000,
  )
})

describe('the app, with a keyboard only', () => {
  /** Presses Tab until the named button has the focus, as a sighted keyboard user would. */
  async function tabTo(page: Page, name: string): Promise<void> {
    for (let presses = 0; presses < 30; presses++) {
      await page.keyboard.press('Tab')
      const focused = await page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
      )
      if (focused === name) return
    }
    throw new Error(`Tab never came to ${name}`)
  }

  it('people can add an account, answer a request and show a code with a keyboard only', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const page = await phone.open(service)
    await button(page, 'Scan QR code').waitFor()

    await tabTo(page, 'Scan QR code')
    await page.keyboard.press('Tab')
    await page.keyboard.type(code)
    await page.keyboard.press('Enter')
    await headline(page, 'Add this account?')
    await tabTo(page, 'Add this account')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing to approve').waitFor()
    await tabTo(page, 'Show code for alice at Wiki')
    await page.keyboard.press('Enter')
    await page.locator('button.code').waitFor()
    const session = await service.ask('alice', { numberMatching: true })
    await headline(page, 'Sign in to Wiki?')
    await page.keyboard.type(session.number!)
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(true)
    await tabTo(page, 'Approve')
    await page.keyboard.press('Enter')

    await headline(page, 'Approved')
    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })

  it('the app announces the headline of each new screen first', async () => {
    const { page } = await phone.joined()

    await button(page, 'Settings').click()
    await headline(page, 'Settings')

    expect(await read(page, () => document.activeElement?.tagName)).toBe('H1')
    expect(await appears(page.getByRole('main'))).toBe(true)
  })
})

describe('reduced motion', () => {
  it('the app plays no animations where reduced motion is set', async () => {
    const { service, page } = await phone.joined({ context: calm('light') })
    await service.ask('alice')
    await page.locator('.ring .rest').waitFor()

    const transition = await page.locator('.ring .rest').evaluate((ring) => getComputedStyle(ring).transitionDuration)

    expect(transition).toMatch(/^0s/)
  })
})
