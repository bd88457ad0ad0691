import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'

import { seedDatabase } from '../../scripts/seed/seed.ts'
import { everyScreen } from '../authenticator/every-screen.ts'
import { addWithPin, everyMoveScreen } from '../authenticator/move.ts'
import { phones } from '../authenticator/phone.ts'
import { newBrowser, signedIn, startDesk } from '../console/desk.ts'
import { everyScreen as everyConsoleScreen, wordsOf } from '../console/every-screen.ts'
import { walks } from '../express/every-page.ts'
import { startService } from '../support/running-service.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { drawSheets, type Shots } from './sheet.ts'

const chromium = await sharedChromium()
const phone = await phones()

const variants = {
  '360 × 640': { viewport: { width: 360, height: 640 } },
  '375 × 667, dark, German': { viewport: { width: 375, height: 667 }, colorScheme: 'dark', locale: 'de' },
  '390 × 844, Japanese': { viewport: { width: 390, height: 844 }, locale: 'ja' },
  '390 × 844, dark, Arabic': { viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'ar' },
  '390 × 844, text 200 %': { viewport: { width: 390, height: 844 } },
  '1280 × 800': { viewport: { width: 1280, height: 800 } },
} as const satisfies Record<string, BrowserContextOptions>

const optionsOf = (variant: keyof typeof variants): BrowserContextOptions => ({
  locale: 'en',
  reducedMotion: 'reduce',
  ...variants[variant],
})

async function shoot(page: Page, variant: string): Promise<Buffer> {
  if (variant.endsWith('200 %')) await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'))
  return page.screenshot({ animations: 'disabled' })
}

const draw = (name: string, states: ReadonlyMap<string, Shots>, columns: readonly string[] = Object.keys(variants)) =>
  drawSheets(name, states, columns)

describe('the web pages', () => {
  it.each(Object.entries(walks))('contact sheets show the web pages: %s', async (name, walk) => {
    const tabs = await Promise.all(
      Object.keys(variants).map(async (variant) => {
        const context = await chromium.newContext(optionsOf(variant as keyof typeof variants))
        onTestFinished(() => context.close())
        const page = await context.newPage()
        // What is settled would go on by itself.
        await page.route('**/complete', () => {})
        return { variant, context, page }
      }),
    )
    const states = new Map<string, Shots>()
    for await (const { name: state, url, path, browser } of walk({ helpUrl: '/help', passwordUrl: '/password' })) {
      const shots: Shots = new Map()
      for (const { variant, context, page } of tabs) {
        await context.addCookies([{ name: 'connect.sid', value: 'none', url }, ...browser.cookiesAt(url)])
        await page.goto(url + path)
        shots.set(variant, await shoot(page, variant))
      }
      states.set(state, shots)
    }
    await draw(`pages ${name}`, states)
    expect(states.size).toBeGreaterThan(0)
  })
})

describe('the authenticator', () => {
  it('contact sheets show all screens of the authenticator', async () => {
    const states = new Map<string, Shots>()
    for (const variant of Object.keys(variants)) {
      const service = await startService()
      const options = optionsOf(variant as keyof typeof variants)
      const page = await phone.open(service, '', { hasTouch: true, ...options })
      await everyScreen(service, page, async (screen) => {
        const shots = states.get(screen) ?? new Map<string, Buffer>()
        states.set(screen, shots.set(variant, await shoot(page, variant)))
      })
    }
    await draw('authenticator', states)
    expect(states.size).toBeGreaterThan(0)
  })

  it('contact sheets show both phones of a move of the authenticator', async () => {
    const states = new Map<string, Shots>()
    for (const variant of Object.keys(variants)) {
      const service = await startService({ domain: { keyType: 'PIN' } })
      const { code } = await service.enroll('alice')
      const options = { hasTouch: true, ...optionsOf(variant as keyof typeof variants) }
      const old = await phone.open(service, `#code=${code}`, options)
      await addWithPin(old)
      const fresh = await phone.open(service, '', options)
      await everyMoveScreen(service, { old, fresh }, async (screen, page) => {
        const shots = states.get(screen) ?? new Map<string, Buffer>()
        states.set(screen, shots.set(variant, await shoot(page, variant)))
      })
    }
    await draw('authenticator move', states)
    expect(states.size).toBeGreaterThan(0)
  })
})

const consoleVariants = {
  '1280 × 800': { viewport: { width: 1280, height: 800 }, locale: 'en' },
  '1280 × 800, dark, German': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark', locale: 'de' },
  '390 × 844': { viewport: { width: 390, height: 844 }, locale: 'en' },
  '390 × 844, dark, Arabic': { viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'ar' },
} as const satisfies Record<string, BrowserContextOptions>

/** Places of the console, and what is in the middle of their pictures. */
const manyPeople = [
  ['overview', 'h1'],
  ['overview', '.chart'],
  ['overview?by=factor', '.chart'],
  ['overview', '.facts'],
  ['people', 'h1'],
  ['people?filter=locked', 'h1'],
  ['people?sort=lastSignIn&from=51', 'h1'],
  ['audit', '.entries'],
  ['administrators', '.data-list'],
] as const

describe('the console', () => {
  it('contact sheets show all screens of the console', async () => {
    const states = new Map<string, Shots>()
    for (const [variant, options] of Object.entries(consoleVariants)) {
      const desk = await startDesk()
      const { page } = await newBrowser({ reducedMotion: 'reduce', ...options })
      await everyConsoleScreen(desk, page, await wordsOf(options.locale), async (screen) => {
        const shots = states.get(screen) ?? new Map<string, Buffer>()
        states.set(screen, shots.set(variant, await page.screenshot({ animations: 'disabled' })))
      })
    }
    await draw('console', states, Object.keys(consoleVariants))
    expect(states.size).toBeGreaterThan(0)
  })

  it('contact sheets show the console with many people', async () => {
    const states = new Map<string, Shots>()
    for (const [variant, options] of Object.entries(consoleVariants)) {
      const desk = await startDesk({
        seed: async (database) => (await seedDatabase({ database, people: 5_000 })).organizationId,
      })
      const { page } = await signedIn(desk, {}, { reducedMotion: 'reduce', ...options })
      for (const [path, selector] of manyPeople) {
        await page.goto(`${desk.url}/${path}`)
        await page.locator(selector).first().waitFor()
        await page
          .locator(selector)
          .first()
          .evaluate((element) => element.scrollIntoView({ block: 'center' }))
        const state = `${path} ${selector}`
        const shots = states.get(state) ?? new Map<string, Buffer>()
        states.set(state, shots.set(variant, await page.screenshot({ animations: 'disabled' })))
      }
    }
    await draw('console over many people', states, Object.keys(consoleVariants))
    expect(states.size).toBeGreaterThan(0)
  })
})
