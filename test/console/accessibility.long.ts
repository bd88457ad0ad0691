import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import type { LanguageTag } from '../../src/contract/languages.ts'
import { axeViolations } from '../support/axe.ts'
import { newBrowser, signedIn, startDesk } from './desk.ts'
import { everyScreen, wordsOf } from './every-screen.ts'
import { lookAtOpenId } from './openid-screens.ts'

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

const walks: readonly Walk[] = [
  ['ar', 'dark on a phone and light on a desktop', [narrow, wide]],
  ['en', 'light on a phone and on a desktop', [{ colorScheme: 'light', width: 390 }, wide]],
  ['de', 'dark on a phone', [narrow]],
  ['ja', 'dark on a desktop', [{ colorScheme: 'dark', width: 1280, rules: repeatedRules }]],
]

describe('every screen', () => {
  it.each(walks)(
    'every screen of the console is accessible: %s, %s',
    async (language, _, looks) => {
      const desk = await startDesk()
      const { page } = await newBrowser(browserOf(language, looks[0]))
      const { violations, look } = inspection(page, looks)

      await everyScreen(desk, page, await wordsOf(language), look)

      expect(violations).toEqual([])
    },
    120_000,
  )

  it.each(walks)(
    'every screen of OpenID Connect is accessible: %s, %s',
    async (language, _, looks) => {
      const desk = await startDesk({ openId: true })
      const { page } = await signedIn(desk, {}, browserOf(language, looks[0]))
      const { violations, look } = inspection(page, looks)

      await lookAtOpenId(desk, page, language, look)

      expect(violations).toEqual([])
    },
    120_000,
  )

  const browserOf = (language: LanguageTag, { width, colorScheme }: Look) =>
    ({ viewport: { width, height: 800 }, locale: language, colorScheme, reducedMotion: 'reduce' }) as const

  function inspection(page: Page, looks: readonly [Look, ...Look[]]) {
    const violations: string[] = []
    return {
      violations,
      look: async (screen: string) => {
        for (const look of looks) {
          if (looks.length > 1) await show(page, look)
          violations.push(
            ...(await inspect(page, look)).map((violation) => `${screen}, ${look.width} wide: ${violation}`),
          )
        }
        if (looks.length > 1) await show(page, looks[0])
      },
    }
  }

  async function show(page: Page, { colorScheme, width }: Look): Promise<void> {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
  }

  async function inspect(page: Page, { rules }: Look): Promise<string[]> {
    // Behind a question is a screen that was inspected before it.
    const isAsking = await page.locator('dialog[open]').count()
    const issues = await axeViolations(page, { rules, ...(isAsking > 0 && { include: ['dialog[open]'] }) })
    const overflows = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    if (overflows) issues.push('wider than the screen')
    return [...issues, ...(await page.evaluate(smallTargets)).map((target) => `small target: ${target}`)]
  }
})
