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

interface Look {
  readonly colorScheme: 'light' | 'dark'
  readonly width: number
  readonly rules?: readonly string[]
}

/** What a screen looks like when it is first drawn, and then without being loaded again. */
const [narrow, wide]: readonly [Look, Look] = [
  { colorScheme: 'dark', width: 320, rules: repeatedRules },
  { colorScheme: 'light', width: 1280 },
]

type Walk = readonly [language: LanguageTag, variant: string, looks: readonly [Look, ...Look[]]]

/** Wide and narrow, light and dark, from right to left. */
const walks: readonly Walk[] = [['ar', 'dark on a phone and light on a desktop', [narrow, wide]]]

/** What each finds besides is rare, and each takes ten seconds. */
const moreWalks: readonly Walk[] = [
  ['en', 'light on a phone and on a desktop', [{ colorScheme: 'light', width: 390 }, wide]],
  ['de', 'dark on a phone', [narrow]],
  ['ja', 'dark on a desktop', [{ colorScheme: 'dark', width: 1280, rules: repeatedRules }]],
]

describe('every screen', () => {
  it.each(process.env.LONG ? [...walks, ...moreWalks] : walks)(
    'is accessible: %s, %s',
    async (language, _, looks) => {
      const desk = await startDesk()
      const [{ width, colorScheme }] = looks
      const { page } = await newBrowser({
        viewport: { width, height: 800 },
        locale: language,
        colorScheme,
        reducedMotion: 'reduce',
      })
      const violations: string[] = []

      await everyScreen(desk, page, await wordsOf(language), async (screen) => {
        for (const look of looks) {
          if (looks.length > 1) await show(page, look)
          violations.push(...(await inspect(page, look)).map((found) => `${screen}, ${look.width} wide: ${found}`))
        }
        if (looks.length > 1) await show(page, looks[0])
      })

      expect(violations).toEqual([])
    },
    120_000,
  )

  async function show(page: Page, { colorScheme, width }: Look): Promise<void> {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
  }

  async function inspect(page: Page, { rules }: Look): Promise<string[]> {
    // Behind a question is a screen that was inspected before it.
    const isAsking = await page.locator('dialog[open]').count()
    const found = await axeViolations(page, { rules, ...(isAsking > 0 && { include: ['dialog[open]'] }) })
    const overflows = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    if (overflows) found.push('wider than the screen')
    return [...found, ...(await page.evaluate(smallTargets)).map((target) => `small target: ${target}`)]
  }
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
