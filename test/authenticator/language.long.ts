import { describe, expect, it } from 'vitest'

import { ar } from '../../src/authenticator/texts/ar.ts'
import { de } from '../../src/authenticator/texts/de.ts'
import { en } from '../../src/authenticator/texts/en.ts'
import { es } from '../../src/authenticator/texts/es.ts'
import { fr } from '../../src/authenticator/texts/fr.ts'
import { ja } from '../../src/authenticator/texts/ja.ts'
import { languages } from '../../src/authenticator/words/languages.ts'
import { pt } from '../../src/authenticator/texts/pt.ts'
import { chooseLanguage, localeOf } from '../../src/ui/languages.ts'
import { startService } from '../support/running-service.ts'
import { phones } from './phone.ts'
import { button, headline, appears, read } from './screen.ts'

const phone = await phones()

describe('the texts', () => {
  const sharedWords = new Set(['appName', 'approvalApp', 'ok', 'pin', 'notifications', 'browser', 'system', 'user'])

  it.each(Object.entries({ de, fr, es, pt, ja, ar }))('the texts in %s are all translated', (_, words) => {
    const untranslated = Object.entries(words).filter(([name, word]) => {
      const english = en[name as keyof typeof en]
      return typeof word === 'string' && word === english && !sharedWords.has(name)
    })

    expect(untranslated.map(([name]) => name)).toEqual([])
  })

  it.each(Object.entries({ en, de, fr, es, pt, ja, ar }))('the texts in %s use their parameters', (_, words) => {
    expect(words.removeSentence('DOMAIN', 'NAME')).toMatch(/(DOMAIN.*NAME)|(NAME.*DOMAIN)/)
    expect(words.at('NAME', 'DOMAIN')).toMatch(/(DOMAIN.*NAME)|(NAME.*DOMAIN)/)
    for (const word of [words.signInTo, words.removedBy, words.moveUp, words.options, words.version]) {
      expect(word('NAME')).toContain('NAME')
    }
    for (const word of [words.timeLeft, words.allRequests, words.triesLeft, words.tooMany]) {
      expect(word(47)).toMatch(/47/)
    }
  })

  it.each([
    ['en', en, ['1 second left', '2 seconds left', '11 seconds left']],
    ['ar', ar, ['بقيت ثانية واحدة', 'بقيت ثانيتان', 'بقيت 11 ثانية']],
  ] as const)('the texts in %s use the plural forms of the language', (_, words, expected) => {
    expect([1, 2, 11].map(words.timeLeft)).toEqual(expected)
  })
})

describe('the language', () => {
  it.each([
    [['fr-CA', 'en'], 'fr', 'fr-CA-u-nu-latn'],
    [['nl', 'PT-br', 'en'], 'pt', 'pt-BR-u-nu-latn'],
    [['nl', 'ko'], 'en', 'en-u-nu-latn'],
    [['ja-JP'], 'ja', 'ja-JP-u-nu-latn'],
    [['en-US@posix', 'en'], 'en', 'en-u-nu-latn'],
    [['ar-EG'], 'ar', 'ar-EG-u-nu-latn'],
  ])('the language for a browser with %j is %s, with the locale %s', (browserLanguages, code, locale) => {
    const language = chooseLanguage(languages, browserLanguages)

    expect([language.code, localeOf(language, browserLanguages)]).toEqual([code, locale])
  })

  it('the app uses the first supported language of the browser, and loads only its texts at the start', async () => {
    const service = await startService()
    const page = await phone.open(service, '', { locale: 'de-AT' })
    const fetched: string[] = []
    page.on('request', (request) => fetched.push(request.url()))

    await page.reload()
    await headline(page, de.addTitle)

    expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
      'de',
      'ltr',
    ])
    const catalogues = fetched.map((url) => /\/(en|de|fr|es|pt|ja|ar)-[\w-]+\.js/.exec(url)?.[1]).filter(Boolean)
    expect([...new Set(catalogues)]).toEqual(['de'])
  })

  it('the language can be changed permanently, even offline', async () => {
    const { page } = await phone.joined({ context: { serviceWorkers: 'allow' } })
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await page.context().setOffline(true)
    await button(page, 'Settings').click()

    await page.getByLabel('Language').selectOption('fr')
    await headline(page, fr.settings)
    await page.reload()

    expect(await headline(page, fr.waiting)).toBe(true)
  })

  it('a right-to-left language mirrors the page, but keeps digits in typing order', async () => {
    const { page } = await phone.joined()
    await button(page, 'Settings').click()
    await page.getByLabel('Language').selectOption('ar')
    await headline(page, ar.settings)

    const direction = await read(page, () => getComputedStyle(document.body).direction)
    await button(page, ar.back).click()
    await button(page, ar.showCodeOf(ar.at('alice', 'Wiki'))).click()

    expect(direction).toBe('rtl')
    expect(await appears(page.getByText(/^\d{3} \d{3}/))).toBe(true)
  })

  it('the language applies to the manifest, too', async () => {
    const service = await startService()
    const page = await phone.open(service, '', { locale: 'es' })
    await headline(page, es.addTitle)

    const href = (await page.locator('link[rel=manifest]').getAttribute('href')) ?? ''
    const manifest = (await (await fetch(new URL(href, `${service.url}/authenticator/`))).json()) as unknown

    expect(manifest).toMatchObject({ lang: 'es', name: es.appName, shortcuts: [{ name: es.showCodes }, {}] })
  })
})
