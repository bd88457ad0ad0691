import { describe, expect, it } from 'vitest'

import { ar } from '../../src/console/texts/ar.ts'
import { de } from '../../src/console/texts/de.ts'
import { en } from '../../src/console/texts/en.ts'
import { es } from '../../src/console/texts/es.ts'
import { fr } from '../../src/console/texts/fr.ts'
import { ja } from '../../src/console/texts/ja.ts'
import { pt } from '../../src/console/texts/pt.ts'
import { expectHeadline, newBrowser, signedIn, startDesk } from './desk.ts'

describe('the texts', () => {
  /** Words that are the same in another language. */
  const same = new Set(['comma', 'menu', 'passkeys', 'name', 'email', 'status', 'domain', 'domains'])

  it.each(Object.entries({ de, fr, es, pt, ja, ar }))('the console’s texts in %s are all translated', (_, words) => {
    const untranslated = Object.entries(words).filter(([name, word]) => {
      const english = en[name as keyof typeof en]
      return typeof word === 'string' && word === english && !same.has(name)
    })

    expect(untranslated.map(([name]) => name)).toEqual([])
  })

  it.each(Object.entries({ en, de, fr, es, pt, ja, ar }))(
    'the console’s texts in %s use their parameters',
    (_, words) => {
      const named = [words.welcome, words.invitedBy, words.withdrawTitle, words.revokeTitle, words.endSessionsTitle]
      for (const word of [
        ...named,
        words.accessSaved,
        words.revoked,
        words.passkeyRemoved,
        words.sessionEnds,
        words.lockedUntil,
      ]) {
        expect(word('NAME')).toContain('NAME')
      }
      expect(words.accessNow('NAME', 'ROLE', 'DOMAINS')).toMatch(/NAME[^]*ROLE[^]*DOMAINS/)
      for (const word of [words.revokedOnes, words.tooMany, words.codesLeft, words.duration])
        expect(word(47)).toMatch(/47/)
    },
  )
})

describe('the language', () => {
  it('the console’s language is the one of the browser, and only its texts are loaded', async () => {
    const desk = await startDesk()
    const { page } = await newBrowser({ locale: 'fr-CA' })
    const fetched: string[] = []
    page.on('request', (request) => fetched.push(request.url()))

    await page.goto(desk.url)
    await expectHeadline(page, fr.signInTitle)

    const catalogues = fetched.map((url) => /\/(en|de|fr|es|pt|ja|ar)-[\w-]+\.js/.exec(url)?.[1]).filter(Boolean)
    expect([...new Set(catalogues)]).toEqual(['fr'])
  })

  it('the console’s language can be changed permanently, and mirrors the page', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    await page.goto(`${desk.url}/account`)

    await page.getByLabel('Language').selectOption('ar')
    await expectHeadline(page, ar.yourAccount)
    await page.reload()
    await expectHeadline(page, ar.yourAccount)

    expect(
      await page.evaluate(() => [document.documentElement.lang, getComputedStyle(document.body).direction]),
    ).toEqual(['ar', 'rtl'])
  })
})
