import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import type { LanguageTag } from '../../src/contract/languages.ts'
import { axeViolations } from '../support/axe.ts'
import {
  atAdministrators,
  button,
  expectHeadline,
  link,
  newBrowser,
  registered,
  row,
  signedIn,
  startDesk,
} from './desk.ts'
import { everyScreen, wordsOf } from './every-screen.ts'

/** The rules that depend on colors or on the language. The others are the same in each walk. */
const repeatedRules = ['color-contrast', 'html-has-lang', 'html-lang-valid', 'document-title', 'button-name', 'label']

/** Runs in the page: what is pressed and lower than WCAG 2.2 asks for buttons of their own, and than a finger needs. */
function smallTargets(): readonly string[] {
  return [...document.querySelectorAll('button, select, .button, .nav-link, input:not([type=radio], [type=checkbox])')]
    .filter((each) => each.checkVisibility() && !each.classList.contains('skip'))
    .filter((each) => each.getBoundingClientRect().height < 44)
    .map((each) => each.outerHTML)
}

type Walk = readonly [
  colorScheme: 'light' | 'dark',
  language: LanguageTag,
  width: number,
  rules: readonly string[] | undefined,
]

/** Wide and narrow, light and dark, in both directions of writing. */
const walks: readonly Walk[] = [
  ['light', 'en', 1280, undefined],
  ['dark', 'ar', 320, repeatedRules],
]

/** What each finds besides is rare, and each takes ten seconds. */
const moreWalks: readonly Walk[] = [
  ['light', 'en', 390, undefined],
  ['dark', 'de', 320, repeatedRules],
  ['dark', 'ja', 1280, repeatedRules],
]

describe('every screen', () => {
  it.each(process.env.LONG ? [...walks, ...moreWalks] : walks)(
    'is accessible: %s, %s, %i wide',
    async (colorScheme, language, width, rules) => {
      const desk = await startDesk()
      const { page } = await newBrowser({
        viewport: { width, height: 800 },
        locale: language,
        colorScheme,
        reducedMotion: 'reduce',
      })
      const violations: string[] = []

      await everyScreen(desk, page, await wordsOf(language), async (screen) => {
        violations.push(...(await axeViolations(page, { rules })).map((violation) => `${screen}: ${violation}`))
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
        if (wide) violations.push(`${screen}: wider than the screen`)
        violations.push(...(await page.evaluate(smallTargets)).map((target) => `${screen}: small target: ${target}`))
      })

      expect(violations).toEqual([])
    },
    60_000,
  )
})

describe('the console, with a keyboard only', () => {
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

  it('announces the expectHeadline of each new page first', async () => {
    const desk = await startDesk()
    const { page } = await atAdministrators(desk)

    await link(page, 'Invite').click()
    await expectHeadline(page, 'Invite an administrator')

    expect(await focused(page)).toBe('Invite an administrator')
  })

  it('skips the navigation', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    await page.goto(`${desk.url}/account`)
    await expectHeadline(page, 'Your account')

    await button(page, 'Skip to the content').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')

    expect(await focused(page)).toBe('Sign out')
  })

  it('goes through a list with the arrow keys, and opens with Enter', async () => {
    const desk = await startDesk()
    await registered(desk, { name: 'Hal Helper', role: 'helpdesk', domains: ['Wiki'] })
    const { page } = await atAdministrators(desk, { email: 'o@example.com' })
    const names: (string | null | undefined)[] = []

    await row(page, 'Hal Helper').focus()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'Home']) {
      await page.keyboard.press(key)
      names.push((await focused(page))?.slice(0, 10))
    }
    await page.keyboard.press('Enter')

    expect(names).toEqual(['Olivia Own', 'Olivia Own', 'Hal Helper', 'Olivia Own', 'Hal Helper'])
    await expectHeadline(page, 'Hal Helper')
  })

  it('closes a question with Escape, and is back at the button', async () => {
    const desk = await startDesk()
    await registered(desk, { name: 'Hal Helper', role: 'helpdesk', domains: ['Wiki'] })
    const { page } = await atAdministrators(desk, { email: 'o@example.com' })
    await row(page, 'Hal Helper').click()
    await button(page, 'Revoke access').click()
    await page.getByRole('dialog').waitFor()

    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    expect(await focused(page)).toBe('Revoke access')
    expect(await desk.find('Hal Helper')).toMatchObject({ revokedAt: null })
  })

  it('opens and closes the navigation of a phone', async () => {
    const desk = await startDesk()
    const { page } = await atAdministrators(desk, {}, { viewport: { width: 390, height: 844 } })
    await expectHeadline(page, 'Administrators')

    await button(page, 'Menu').press('Enter')
    await link(page, 'Olivia Owner Owner').waitFor()
    await page.keyboard.press('Escape')

    await link(page, 'Olivia Owner Owner').waitFor({ state: 'hidden' })
    expect(await button(page, 'Menu').getAttribute('aria-expanded')).toBe('false')
  })
})
