import type { Page } from 'playwright-core'

import type { Browser } from '../support/browser.ts'
import { axeViolations } from '../support/axe.ts'
import type { Place } from './every-page.ts'

/** A page as the server renders it. */
export interface RenderedPage {
  readonly name: string
  readonly english: string
  readonly arabic: string
}

export async function renderPage({ name, browser, path }: Place): Promise<RenderedPage> {
  return { name, english: await render(browser, path, 'en'), arabic: await render(browser, path, 'ar') }
}

async function render(browser: Browser, path: string, language: string): Promise<string> {
  const { headers, text } = await browser.open(path, { 'accept-language': language })
  return headers['location'] === undefined ? text : render(browser, headers['location'], language)
}

/** The page with its scripts, in both color schemes. */
export async function inspectStructure(page: Page, name: string): Promise<string[]> {
  const problems = [...(await axeViolations(page)), ...(await page.evaluate(findProblems, [{ name }]))]
  await page.emulateMedia({ colorScheme: 'dark' })
  problems.push(...(await axeViolations(page, { rules: ['color-contrast'] })))
  await page.emulateMedia({ colorScheme: 'light' })
  return problems.map((problem) => `${name}: ${problem}`)
}

/**
 * The pages with their texts, in place of the one that is loaded: loading each with its scripts takes longer than all
 * checks.
 */
export async function inspectTexts(page: Page, pages: readonly RenderedPage[]): Promise<string[]> {
  const english = pages.map((each) => ({ name: each.name, html: each.english, language: 'en' }))
  const arabic = pages.map((each) => ({ name: each.name, html: each.arabic, language: 'ar' }))
  const problems = await page.evaluate(findProblems, [...english, ...arabic])
  // WCAG 2.2 section 1.4.4.
  await page.setViewportSize({ width: 640, height: 800 })
  await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'))
  return [...problems, ...(await page.evaluate(findProblems, english))]
}

interface Shown {
  readonly name: string
  /** In place of the page that is loaded. */
  readonly html?: string
  readonly language?: string
}

/** Runs in the page. */
function findProblems(pages: readonly Shown[]): string[] {
  return pages.flatMap(({ name, html, language }) => {
    if (html !== undefined) show(html)
    const problems = [...wrongLanguage(language), ...tooWide(), ...tooSmall(), ...untranslated(language)]
    return problems.map((problem) => `${name}, ${language ?? 'as loaded'}: ${problem}`)
  })

  function show(html: string): void {
    const { documentElement, title, body } = new DOMParser().parseFromString(html, 'text/html')
    Object.assign(document.documentElement, { lang: documentElement.lang, dir: documentElement.dir })
    document.title = title
    document.body.replaceWith(document.adoptNode(body))
  }

  function wrongLanguage(language = 'en'): string[] {
    const { dir, lang } = document.documentElement
    return lang === language && dir === (language === 'ar' ? 'rtl' : 'ltr') ? [] : [`language: ${lang} ${dir}`]
  }

  function tooWide(): string[] {
    return document.documentElement.scrollWidth > innerWidth ? ['scrolls sideways'] : []
  }

  /** WCAG 2.2 section 2.5.8 asks for 24 pixels; we promise 44. */
  function tooSmall(): string[] {
    const targets = 'a, button, summary, input:not([type=hidden], [type=checkbox]), label:has(input)'
    return [...document.querySelectorAll<HTMLElement>(targets)]
      .filter((target) => target.offsetHeight > 0 && target.offsetHeight < 44)
      .map((target) => `small: ${target.outerHTML}`)
  }

  function untranslated(language?: string): string[] {
    if (language !== 'ar') return []
    return [...document.querySelectorAll('title, h1, a, button, summary, label')]
      .filter((each) => !/\p{Script=Arabic}/u.test(each.textContent + (each.ariaLabel ?? '')))
      .map((each) => `not in Arabic: ${each.outerHTML}`)
  }
}
